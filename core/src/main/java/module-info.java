/** Collective matrix multiplication: the operators and everything they need inside one JVM. */
@SuppressWarnings("module") // the command and what it measures with are built later
module io.github.gemmflow.core {
  requires jdk.jfr;
  requires static org.jspecify;

  exports io.github.gemmflow;
  exports io.github.gemmflow.engine;
  exports io.github.gemmflow.failure;
  exports io.github.gemmflow.kernel;
  exports io.github.gemmflow.matrix;
  exports io.github.gemmflow.trace;
  exports io.github.gemmflow.tuning;
  exports io.github.gemmflow.tuning.cost;

  // gemmflow plan shows who would send which rows to whom, and in how much memory, without a job;
  // the simulator runs it.
  exports io.github.gemmflow.plan to
      io.github.gemmflow.cli,
      io.github.gemmflow.measure,
      io.github.gemmflow.simulator;
  exports io.github.gemmflow.pipeline to
      io.github.gemmflow.cli,
      io.github.gemmflow.measure;

  // Layers that are measured know how many bytes of a row travel.
  exports io.github.gemmflow.matrix.wire to
      io.github.gemmflow.measure;

  uses io.github.gemmflow.engine.EngineProvider;
  uses io.github.gemmflow.kernel.KernelProvider;
}
