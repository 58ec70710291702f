/** MPI for Java: any Open MPI or MPICH-family library, with nothing to compile. */
module io.github.gemmflow.mpi.binding {
  requires static org.jspecify;

  exports io.github.gemmflow.mpi.binding;
}
