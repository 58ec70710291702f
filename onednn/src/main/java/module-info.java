/** The kernel that multiplies with oneDNN: AMX, AVX-512, AVX2. */
module io.github.gemmflow.kernel.onednn {
  requires transitive io.github.gemmflow.core;
  requires static org.jspecify;

  exports io.github.gemmflow.kernel.onednn;

  provides io.github.gemmflow.kernel.KernelProvider with
      io.github.gemmflow.kernel.onednn.OneDnnProvider;
}
