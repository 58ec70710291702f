// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kernel.onednn;

import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.Product;
import io.github.gemmflow.kernel.ProductSpec;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.onednn.Dnnl;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Multiplies with oneDNN, each call on the thread that makes it. Subnormal numbers count as zero
 * where the hardware's BF16 instructions say so.
 */
public final class OneDnnKernel implements Kernel {
  static final String NAME = "onednn";

  private static final System.Logger LOG = System.getLogger("io.github.gemmflow");

  /** What multiplies is the same for all kernels of a process, and logged once. */
  private static final AtomicBoolean SAID = new AtomicBoolean();

  private final Dnnl dnnl;
  private final Set<DType> slowTypesSaid = EnumSet.noneOf(DType.class);

  /**
   * Loads oneDNN, if that has not been done in this process.
   *
   * @throws RuntimeException if it cannot be had; says what to do
   */
  public OneDnnKernel() {
    this.dnnl = Dnnl.load();
    if (!SAID.getAndSet(true)) {
      LOG.log(INFO, "oneDNN {0} ({1}) uses {2}", dnnl.version(), dnnl.library(), dnnl.isa());
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
    PackedWeights packed = OneDnnWeights.pack(this, dnnl, weights, layout);
    saySlow(weights.type());
    return packed;
  }

  private synchronized void saySlow(DType type) {
    if (!dnnl.isa().isFastFor(type) && slowTypesSaid.add(type)) {
      LOG.log(
          WARNING,
          "this machine has no instructions for {0} (the best are {1}): oneDNN converts to F32 and back, at less than half the speed of F32",
          type,
          dnnl.isa());
    }
  }

  @Override
  public Product product(PackedWeights weights, ProductSpec spec) {
    return new OneDnnProduct(dnnl, (OneDnnWeights) weights, spec);
  }
}
