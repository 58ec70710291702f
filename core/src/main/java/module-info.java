/** Collective matrix multiplication: the operators and everything they need inside one JVM. */
module io.github.gemmflow.core {
  requires jdk.jfr;
  requires static org.jspecify;

  exports io.github.gemmflow;
  exports io.github.gemmflow.engine;
  exports io.github.gemmflow.engine.local;
  exports io.github.gemmflow.failure;
  exports io.github.gemmflow.kernel;
  exports io.github.gemmflow.matrix;
  exports io.github.gemmflow.plan;
  exports io.github.gemmflow.trace;

  uses io.github.gemmflow.engine.EngineProvider;
  uses io.github.gemmflow.kernel.KernelProvider;
}
