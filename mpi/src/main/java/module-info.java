/** The engine that carries rows between processes and hosts with MPI. */
module io.github.gemmflow.mpi {
  requires transitive io.github.gemmflow.core;
  requires io.github.gemmflow.mpi.binding;
  requires static org.jspecify;

  exports io.github.gemmflow.mpi;

  provides io.github.gemmflow.engine.EngineProvider with
      io.github.gemmflow.mpi.MpiEngineProvider;
}
