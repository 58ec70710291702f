/** Text into tokens of a model and out of them. */
module io.github.gemmflow.text {
  requires io.github.gemmflow.json;
  requires io.github.gemmflow.unpack;
  requires ai.djl.tokenizers;
  requires static org.jspecify;

  exports io.github.gemmflow.text;
}
