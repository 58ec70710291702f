// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn.binding;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.unpack.UserDirectory;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@link Dnnl} on a native library. There is one per process. */
final class NativeDnnl implements Dnnl {
  /** How the names of implementations begin that are there to be right, not to be fast. */
  private static final String REFERENCE = "ref";

  /** How the names of implementations begin that are fast in int8, and keep to their thread. */
  private static final String FAST_INT8 = "brg";

  private static @Nullable NativeDnnl instance;

  private final Library library;
  private final Calls calls;
  private final DnnlObjects objects;
  private final OpenMp openMp;
  private final String version;

  NativeDnnl(Library library) {
    this.library = library;
    this.calls = new Calls(library);
    MemorySegment numbers = versionNumbers();
    int major = numbers.get(JAVA_INT, Abi.VERSION_MAJOR_AT);
    this.version =
        "%d.%d.%d"
            .formatted(
                major,
                numbers.get(JAVA_INT, Abi.VERSION_MINOR_AT),
                numbers.get(JAVA_INT, Abi.VERSION_PATCH_AT));
    if (major != Abi.MAJOR) {
      throw new DnnlException(
          "%s is oneDNN %s; Gemmflow needs version %d"
              .formatted(library.name(), version, Abi.MAJOR));
    }
    this.openMp = OpenMp.of(library, numbers.get(JAVA_INT, Abi.VERSION_CPU_RUNTIME_AT));
    this.objects = new DnnlObjects(calls);
  }

  static synchronized NativeDnnl instance() {
    if (instance == null) {
      String variable = System.getenv().getOrDefault(Library.VARIABLE, "");
      String forced = System.getProperty(Library.PROPERTY, variable);
      instance = new NativeDnnl(Library.load(forced, UserDirectory.cache()));
    }
    return instance;
  }

  @SuppressWarnings("restricted") // a struct whose size is in the header
  private MemorySegment versionNumbers() {
    return calls.version().reinterpret(Abi.VERSION_BYTES);
  }

  @Override
  public String version() {
    return version;
  }

  @Override
  public String library() {
    return library.name();
  }

  @Override
  public Isa isa() {
    return Isa.of(calls.getEffectiveCpuIsa());
  }

  @Override
  public Layout layout(DType rowType, DType type, long inputs, long outputs) {
    return explaining(
        type, () -> new NativeLayout(objects, openMp, rowType, type, inputs, outputs));
  }

  @Override
  public Matmul matmul(Layout layout, MatmulSpec spec) {
    NativeLayout weights = (NativeLayout) layout;
    Matmul matmul =
        explaining(
            layout.type(),
            () -> openMp.withOneThread(() -> new NativeMatmul(objects, openMp, weights, spec)));
    String implementation = matmul.implementation();
    boolean fast =
        layout.type() == DType.I8
            ? implementation.startsWith(FAST_INT8)
            : !implementation.startsWith(REFERENCE);
    if (!fast) {
      matmul.close();
      throw noProduct(layout.type(), "only " + implementation);
    }
    return matmul;
  }

  private <T> T explaining(DType type, Supplier<T> make) {
    try {
      return make.get();
    } catch (DnnlException e) {
      throw noProduct(type, e.getMessage());
    }
  }

  private DnnlException noProduct(DType type, @Nullable String why) {
    return new DnnlException(
        "oneDNN %s has no fast product of %s on this machine (%s): %s. Use another type, or the kernel in plain Java: -Dgemmflow.kernel=reference"
            .formatted(version, type, isa(), why));
  }
}
