/** The kernel that multiplies with oneDNN: AMX, AVX-512, AVX2. */
@SuppressWarnings("module") // the examples are built later
module io.github.gemmflow.onednn {
  requires transitive io.github.gemmflow.core;
  requires static org.jspecify;

  exports io.github.gemmflow.onednn;

  // The tokenizer's native library is kept where oneDNN is, with the same checks.
  exports io.github.gemmflow.onednn.binding to
      io.github.gemmflow.examples;

  provides io.github.gemmflow.kernel.KernelProvider with
      io.github.gemmflow.onednn.OneDnnProvider;
}
