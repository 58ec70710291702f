/** Programs to be read and run. */
module io.github.gemmflow.examples {
  requires io.github.gemmflow.core;
  requires io.github.gemmflow.measure;
  requires io.github.gemmflow.models;
  requires io.github.gemmflow.text;
  requires static org.jspecify;
}
