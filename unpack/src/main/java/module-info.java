/** Native libraries that come in jars, as files that can be loaded. */
module io.github.gemmflow.unpack {
  requires static org.jspecify;

  exports io.github.gemmflow.unpack;
}
