/** Decoders and encoders on the operators. */
module io.github.gemmflow.models {
  requires transitive io.github.gemmflow.core;
  requires io.github.gemmflow.files;
  requires io.github.gemmflow.json;
  requires static org.jspecify;

  exports io.github.gemmflow.models.batch;
  exports io.github.gemmflow.models.checkpoint;
  exports io.github.gemmflow.models.decoder;
  exports io.github.gemmflow.models.encoder;
  exports io.github.gemmflow.models.parallel;
}
