// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kit;

import io.github.gemmflow.kernel.Int8Columns;
import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.Product;
import io.github.gemmflow.kernel.ProductSpec;
import io.github.gemmflow.kernel.ReferenceKernel;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.Matrix;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The reference kernel, with something done before each call: a stall there is a reader that has
 * seen that rows arrived and has not read them yet.
 */
public final class StallingKernel implements Kernel {
  private final Kernel kernel = new ReferenceKernel();
  private final Runnable before;
  private final AtomicInteger live = new AtomicInteger();

  public StallingKernel(Runnable before) {
    this.before = before;
  }

  /** How many packed weights are not freed. */
  public int live() {
    return live.get();
  }

  @Override
  public String name() {
    return "stalling";
  }

  @Override
  public String instructions() {
    return "none";
  }

  @Override
  public PackedWeights pack(Matrix weights, WeightLayout layout) {
    return new Wrapped(this, kernel.pack(weights, layout));
  }

  @Override
  public boolean hasInt8() {
    return kernel.hasInt8();
  }

  @Override
  public PackedWeights packConverted(Int8Columns weights) {
    return new Wrapped(this, kernel.packConverted(weights));
  }

  @Override
  public PackedWeights pack(Int8Columns weights) {
    return new Wrapped(this, kernel.pack(weights));
  }

  @Override
  public Product product(PackedWeights weights, ProductSpec spec) {
    return new Stalled(kernel.product(((Wrapped) weights).inner, spec), before);
  }

  private final class Wrapped extends PackedWeights {
    private final PackedWeights inner;

    Wrapped(Kernel kernel, PackedWeights inner) {
      super(kernel, inner.type(), inner.layout(), inner.inputs(), inner.outputs());
      this.inner = inner;
      live.incrementAndGet();
    }

    @Override
    protected void free() {
      inner.close();
      live.decrementAndGet();
    }
  }

  private record Stalled(Product product, Runnable before) implements Product {
    @Override
    public int columnGranularity() {
      return product.columnGranularity();
    }

    @Override
    public int worthwhileRows() {
      return 1;
    }

    @Override
    public void multiply(int thread, Block a, Block c, long firstColumn) {
      before.run();
      product.multiply(thread, a, c, firstColumn);
    }

    @Override
    public void close() {
      product.close();
    }
  }
}
