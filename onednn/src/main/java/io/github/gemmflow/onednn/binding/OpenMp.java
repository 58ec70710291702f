// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn.binding;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Number of threads that oneDNN would use by itself. What is made while it is one runs on the
 * thread that calls it, whatever is set later.
 */
final class OpenMp {
  private final @Nullable MethodHandle getMaxThreads;
  private final @Nullable MethodHandle setNumThreads;

  private OpenMp(@Nullable MethodHandle getMaxThreads, @Nullable MethodHandle setNumThreads) {
    this.getMaxThreads = getMaxThreads;
    this.setNumThreads = setNumThreads;
  }

  /**
   * Of a library.
   *
   * @param runtime {@code cpu_runtime} of its version
   */
  static OpenMp of(Library library, int runtime) {
    return switch (runtime) {
      case Abi.RUNTIME_SEQUENTIAL -> new OpenMp(null, null);
      case Abi.RUNTIME_OPENMP ->
          new OpenMp(
              bind(library.symbols(), "omp_get_max_threads", FunctionDescriptor.of(JAVA_INT)),
              bind(library.symbols(), "omp_set_num_threads", FunctionDescriptor.ofVoid(JAVA_INT)));
      default ->
          throw new DnnlException(
              "%s was built with a threading runtime that Gemmflow cannot limit to one thread (runtime %d of dnnl_config.h); use a build for OpenMP, or one without threads"
                  .formatted(library.name(), runtime));
    };
  }

  @SuppressWarnings("restricted") // the native calls that this module is for
  private static MethodHandle bind(SymbolLookup symbols, String name, FunctionDescriptor type) {
    MemorySegment address =
        symbols
            .find(name)
            .orElseThrow(() -> new DnnlException("no OpenMP library has a function " + name));
    return Linker.nativeLinker().downcallHandle(address, type);
  }

  /** Does something while oneDNN believes that there is one thread; others do not notice. */
  <T> T withOneThread(Supplier<T> body) {
    if (getMaxThreads == null || setNumThreads == null) {
      return body.get();
    }
    // The number belongs to the calling thread, so nobody else has to wait.
    int before;
    try {
      before = (int) getMaxThreads.invokeExact();
      setNumThreads.invokeExact(1);
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
    try {
      return body.get();
    } finally {
      restore(setNumThreads, before);
    }
  }

  private static void restore(MethodHandle setNumThreads, int before) {
    try {
      setNumThreads.invokeExact(before);
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }
}
