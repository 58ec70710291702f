/** Steps in virtual time. */
module io.github.gemmflow.simulator {
  requires transitive io.github.gemmflow.core;
  requires static org.jspecify;

  exports io.github.gemmflow.simulator;
}
