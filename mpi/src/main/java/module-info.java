/** The engine that carries rows between processes and hosts with MPI. */
module io.github.gemmflow.engine.mpi {
  requires transitive io.github.gemmflow.core;
  requires io.github.gemmflow.mpi;
  requires static org.jspecify;

  exports io.github.gemmflow.engine.mpi;

  provides io.github.gemmflow.engine.EngineProvider with
      io.github.gemmflow.engine.mpi.MpiEngineProvider;
}
