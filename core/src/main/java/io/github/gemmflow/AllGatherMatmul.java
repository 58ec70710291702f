// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.Product;
import io.github.gemmflow.kernel.ProductSpec;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.pipeline.compute.ProductWork;
import io.github.gemmflow.pipeline.compute.RowWork;
import io.github.gemmflow.plan.Tuning;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Gathers the rows of all ranks and multiplies them with this rank's weights, while they arrive:
 * every rank gives {@code A_r} and gets {@code C_i = concat(A_0, A_1, ...) x B_i} for each of its
 * weight matrices. The weights may differ from rank to rank in number and width; one gather feeds
 * them all.
 */
public final class AllGatherMatmul extends Gathering {
  private final List<PackedWeights> weights;
  private final Product[] products;
  private final ProductWork work;
  private final DType outputType;

  private AllGatherMatmul(Builder b, int number) {
    super(b.workspace, number, b.shape(), b.tuning, b.gathered);
    this.weights = b.weights;
    this.outputType = b.outputType;
    int threads = b.workspace.threads();
    this.products = new Product[weights.size()];
    try {
      for (int i = 0; i < products.length; i++) {
        PackedWeights packed = weights.get(i);
        ProductSpec spec = new ProductSpec(outputType, b.epilogue(i), threads);
        products[i] = packed.kernel().product(packed, spec);
      }
    } catch (RuntimeException | Error e) {
      closeProducts();
      throw e;
    }
    long[] widths = weights.stream().mapToLong(PackedWeights::outputs).toArray();
    this.work = new ProductWork(products, widths, threads);
  }

  /** Starts to build one on a workspace. */
  public static Builder on(Workspace workspace) {
    return new Builder(workspace);
  }

  @Override
  public String toString() {
    return "AllGatherMatmul of %s with %s".formatted(shape(), weights);
  }

  @Override
  void checkOutputs(long rows, Matrix[] outputs) {
    if (outputs.length != products.length) {
      throw new IllegalArgumentException(
          "a step of this operator has %d outputs, one for each weight matrix, not %d"
              .formatted(products.length, outputs.length));
    }
    for (int i = 0; i < outputs.length; i++) {
      checkOutput("output " + i, outputs[i], rows, weights.get(i).outputs(), outputType);
    }
  }

  @Override
  RowWork work(Matrix[] outputs) {
    work.into(outputs);
    return work;
  }

  @Override
  void free() {
    closeProducts();
    weights.forEach(PackedWeights::release);
  }

  /** A constructor that fails half-way calls this too. */
  private void closeProducts() {
    for (@Nullable Product product : products) {
      if (product != null) {
        product.close();
      }
    }
  }

  /** Sets up an {@link AllGatherMatmul}. */
  public static final class Builder {
    private final Workspace workspace;
    private List<PackedWeights> weights = List.of();
    private DType outputType = DType.F32;
    private final Map<Integer, Epilogue> epilogues = new HashMap<>();
    private Tuning tuning;
    private boolean gathered;
    private @Nullable List<Long> columnsPerRank;

    private Builder(Workspace workspace) {
      this.workspace = workspace;
      this.tuning = workspace.tuning();
    }

    /** The weights, from {@link World#pack}: one or more, with the same number of inputs. */
    public Builder weights(PackedWeights... values) {
      weights = List.of(values);
      return this;
    }

    /** The type of the outputs: F32, which it is unless set, or that of A. */
    public Builder outputType(DType value) {
      outputType = value;
      return this;
    }

    /**
     * What is done with one output while it is in the cache; nothing, unless set.
     *
     * @param output the index of its weights in {@link #weights}
     */
    public Builder epilogue(int output, Epilogue value) {
      epilogues.put(output, value);
      return this;
    }

    private Epilogue epilogue(int output) {
      return epilogues.getOrDefault(output, Epilogue.NONE);
    }

    /** How the rows travel; the workspace's, unless set. */
    public Builder tuning(Tuning value) {
      tuning = value;
      return this;
    }

    /**
     * Makes {@link Step#gathered} give all rows of A. If the storage is chosen by rule, all ranks
     * must want this or none.
     */
    public Builder keepGathered() {
      gathered = true;
      return this;
    }

    /**
     * Gathers A along columns: every rank gives some columns of each row, in the order of ranks. A
     * row is multiplied when all of it has arrived.
     *
     * @param values the columns of each rank, the same on all ranks; in all the inputs of the
     *     weights
     */
    public Builder columnsPerRank(long... values) {
      columnsPerRank = Arrays.stream(values).boxed().toList();
      return this;
    }

    private long inputs() {
      return weights.isEmpty() ? 0 : weights.get(0).inputs();
    }

    private Shape shape() {
      List<Long> columns = columnsPerRank;
      return columns == null ? Shape.alongRows(inputs()) : Shape.alongColumns(columns);
    }

    /** Builds it. Collective: all ranks agree, or all throw. */
    public AllGatherMatmul build() {
      return BuildCall.build(
          "building AllGatherMatmul",
          workspace,
          shape(),
          gathered,
          tuning,
          number -> {
            check();
            List<PackedWeights> retained = new ArrayList<>();
            try {
              for (PackedWeights packed : weights) {
                packed.retain();
                retained.add(packed);
              }
              return new AllGatherMatmul(this, number);
            } catch (RuntimeException | Error e) {
              retained.forEach(PackedWeights::release);
              throw e;
            }
          });
    }

    private void check() {
      if (weights.isEmpty()) {
        throw new IllegalArgumentException(
            "AllGatherMatmul needs at least one weight matrix: call weights(...)");
      }
      for (PackedWeights packed : weights) {
        if (packed.inputs() != inputs()) {
          throw new IllegalArgumentException(
              "all weights must have the same number of inputs, not %s".formatted(weights));
        }
        if (packed.type() != workspace.type()) {
          throw new IllegalArgumentException(
              "the workspace is for %s, the weights are %s".formatted(workspace.type(), packed));
        }
      }
      epilogues.forEach(
          (output, epilogue) -> {
            if (output < 0 || output >= weights.size()) {
              throw new IllegalArgumentException(
                  "there is no output %d to give an epilogue; the outputs are 0 to %d"
                      .formatted(output, weights.size() - 1));
            }
            epilogue.check(weights.get(output).outputs());
          });
      if (shape().columns() != inputs()) {
        throw new IllegalArgumentException(
            "the ranks give %s, the weights have %d inputs".formatted(shape(), inputs()));
      }
      if (outputType != DType.F32 && outputType != workspace.type()) {
        throw new IllegalArgumentException(
            "outputs are F32 or %s, not %s".formatted(workspace.type(), outputType));
      }
    }
  }
}
