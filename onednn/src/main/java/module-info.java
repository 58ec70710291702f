/** The kernel that multiplies with oneDNN: AMX, AVX-512, AVX2. */
module io.github.gemmflow.onednn {
  requires transitive io.github.gemmflow.core;
  requires io.github.gemmflow.unpack;
  requires static org.jspecify;

  exports io.github.gemmflow.onednn;

  provides io.github.gemmflow.kernel.KernelProvider with
      io.github.gemmflow.onednn.OneDnnProvider;
}
