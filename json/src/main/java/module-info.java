/** JSON as maps, lists, texts and numbers. */
module io.github.gemmflow.json {
  requires tools.jackson.core;
  requires static org.jspecify;

  exports io.github.gemmflow.json;
}
