// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import static java.lang.System.Logger.Level.DEBUG;
import static java.lang.System.Logger.Level.WARNING;

import io.github.gemmflow.kernel.Int8Columns;
import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.Product;
import io.github.gemmflow.kernel.ProductSpec;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.onednn.binding.Dnnl;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Kernel that multiplies with oneDNN, each call on the thread that makes it. Subnormal numbers
 * count as zero where the hardware's BF16 instructions say so.
 */
public final class OneDnnKernel implements Kernel {
  static final String NAME = "onednn";

  private static final System.Logger LOG = System.getLogger("io.github.gemmflow");

  /** What multiplies is the same for all kernels of a process, and logged once. */
  private static final AtomicBoolean SAID = new AtomicBoolean();

  private final Dnnl dnnl;
  private final Set<DType> typesSaid = EnumSet.noneOf(DType.class);

  /**
   * Loads oneDNN, if that has not been done in this process.
   *
   * @throws RuntimeException if it cannot be had; says what to do
   */
  public OneDnnKernel() {
    this.dnnl = Dnnl.load();
    if (!SAID.getAndSet(true)) {
      LOG.log(DEBUG, "oneDNN {0} ({1}) uses {2}", dnnl.version(), dnnl.library(), dnnl.isa());
    }
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String instructions() {
    return dnnl.isa().toString();
  }

  @Override
  public PackedWeights pack(Matrix weights, WeightLayout layout) {
    Kernel.checkReals(weights);
    return isConverted(weights.type())
        ? ConvertedWeights.pack(this, dnnl, weights, layout)
        : OneDnnWeights.pack(this, dnnl, weights, layout);
  }

  @Override
  public boolean hasInt8() {
    return dnnl.isa().isFastFor(DType.I8);
  }

  @Override
  public PackedWeights pack(Int8Columns weights) {
    if (!hasInt8()) {
      throw new IllegalStateException(
          "products in int8 would be wrong on this machine, which has %s and no VNNI"
              .formatted(dnnl.isa()));
    }
    return new Int8Weights(this, dnnl, DType.I8, weights);
  }

  @Override
  public PackedWeights packConverted(Int8Columns weights) {
    return ConvertedWeights.pack(this, dnnl, weights);
  }

  @Override
  public Product product(PackedWeights weights, ProductSpec spec) {
    if (weights instanceof Int8Weights int8) {
      return new Int8Product(dnnl, int8, spec);
    }
    return weights instanceof ConvertedWeights converted
        ? new ConvertedProduct(dnnl, converted, spec)
        : new OneDnnProduct(dnnl, (OneDnnWeights) weights, spec);
  }

  /**
   * Whether a type is multiplied as F32; says so when it is asked for the first time. oneDNN itself
   * refuses some types without instructions for them, and is slow with others: 4.4 times as slow as
   * F32 with BF16 on AVX-512, where this is 1.2 times as slow (512 x 4096 x 1024, measured with
   * oneDNN 3.11).
   */
  private synchronized boolean isConverted(DType type) {
    boolean converted = type != DType.F32 && !dnnl.isa().isFastFor(type);
    if (converted && typesSaid.add(type)) {
      LOG.log(
          WARNING,
          "this machine has no instructions for {0} (the best are {1}): weights are kept in F32, which takes twice the memory, and rows are converted to F32 as they are multiplied",
          type,
          dnnl.isa());
    }
    return converted;
  }
}
