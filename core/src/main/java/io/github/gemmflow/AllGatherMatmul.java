// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.kernel.Activation;
import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.Product;
import io.github.gemmflow.kernel.ProductSpec;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.RowConsumer;
import io.github.gemmflow.pipeline.compute.ConvertingProduct;
import io.github.gemmflow.pipeline.compute.GatedProduct;
import io.github.gemmflow.pipeline.compute.ProductWork;
import io.github.gemmflow.pipeline.compute.RowWork;
import io.github.gemmflow.plan.Shape;
import io.github.gemmflow.tuning.Tuning;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Operator that gathers the rows of all ranks and multiplies them with this rank's weights, while
 * they arrive: every rank gives {@code A_r} and gets {@code C_i = concat(A_0, A_1, ...) x B_i} for
 * each of its outputs. They may differ from rank to rank in number and width; one gather feeds them
 * all.
 */
public final class AllGatherMatmul extends GatherOperator {
  private final List<Output> outputs;
  private final List<PackedWeights.Use> uses = new ArrayList<>();
  private final Product[] products;
  private final ProductWork work;
  private final DType outputType;

  /**
   * An output: a product, or two whose elements are multiplied.
   *
   * @param up the weights of the second product; null if there is one only
   */
  private record Output(PackedWeights weights, Epilogue epilogue, @Nullable PackedWeights up) {
    List<PackedWeights> all() {
      return up == null ? List.of(weights) : List.of(weights, up);
    }

    long columns() {
      return weights.outputs();
    }

    /** The product of rows as they arrive. */
    Product product(Workspace workspace, DType type) {
      int threads = workspace.threads();
      Product product = product(type, threads);
      return workspace.types().differ()
          ? ConvertingProduct.ofBlocks(product, workspace.type(), weights.inputs(), threads)
          : product;
    }

    private Product product(DType type, int threads) {
      if (up == null) {
        return weights.product(new ProductSpec(type, epilogue, threads));
      }
      Product gate = weights.product(new ProductSpec(DType.F32, epilogue, threads));
      Product other;
      try {
        other = up.product(new ProductSpec(DType.F32, Epilogue.NONE, threads));
      } catch (RuntimeException | Error e) {
        gate.close();
        throw e;
      }
      return new GatedProduct(gate, other, columns(), type, threads);
    }

    @Override
    public String toString() {
      return up == null ? weights.toString() : weights + " gating " + up;
    }
  }

  private AllGatherMatmul(Builder b, int number) {
    super(b.workspace, number, b.shape(), b.tuning, b.gathered);
    this.outputs = List.copyOf(b.outputs);
    this.outputType = b.outputType;
    int threads = b.workspace.threads();
    this.products = new Product[outputs.size()];
    try {
      b.weights().forEach(weights -> uses.add(weights.use()));
      for (int i = 0; i < products.length; i++) {
        products[i] = outputs.get(i).product(b.workspace, outputType);
      }
    } catch (RuntimeException | Error e) {
      free();
      throw e;
    }
    long[] widths = outputs.stream().mapToLong(Output::columns).toArray();
    this.work = new ProductWork(products, widths, threads);
  }

  /** Starts to build one on a workspace. */
  public static Builder on(Workspace workspace) {
    return new Builder(workspace);
  }

  @Override
  public String toString() {
    return "AllGatherMatmul of %s with %s".formatted(shape(), outputs);
  }

  @Override
  String explainColumns(long given) {
    return ": " + outputs.getFirst().weights().explainInputs(given);
  }

  @Override
  void checkOutputs(long rows, Matrix[] targets) {
    if (targets.length != products.length) {
      throw new IllegalArgumentException(
          "a step of this operator has %d outputs, not %d"
              .formatted(products.length, targets.length));
    }
    for (int i = 0; i < targets.length; i++) {
      checkOutput(outputName(i), targets[i], rows, outputs.get(i).columns(), outputType);
    }
  }

  @Override
  RowWork work(Matrix[] targets) {
    work.into(targets);
    return work;
  }

  @Override
  RowWork work(RowConsumer consumer) {
    throw new IllegalStateException(
        "an AllGatherMatmul multiplies the rows: to pass them to a consumer, build an AllGather");
  }

  /** A constructor that fails half-way calls this too. */
  @Override
  void free() {
    for (@Nullable Product product : products) {
      if (product != null) {
        product.close();
      }
    }
    uses.forEach(PackedWeights.Use::close);
  }

  /** Sets up an {@link AllGatherMatmul}. */
  public static final class Builder {
    private final Workspace workspace;
    private final List<Output> outputs = new ArrayList<>();
    private DType outputType = DType.F32;
    private Tuning tuning;
    private boolean gathered;
    private @Nullable List<Long> columnsPerRank;

    private Builder(Workspace workspace) {
      this.workspace = workspace;
      this.tuning = workspace.tuning();
    }

    /**
     * Adds an output: A times these weights, from {@link World#pack}. All weights of an operator
     * have the same number of inputs.
     */
    public Builder output(PackedWeights weights) {
      return output(weights, Epilogue.NONE);
    }

    /**
     * Adds an output.
     *
     * @param epilogue what is done with it while it is in the cache
     */
    public Builder output(PackedWeights weights, Epilogue epilogue) {
      outputs.add(new Output(weights, epilogue, null));
      return this;
    }

    /**
     * Adds one output from two weight matrices of equal shape: {@code activation(A x gate) * (A x
     * up)}, element by element, in F32 before it is rounded to the output's type. The two products
     * are multiplied while they are in the cache, and are never in memory as a whole.
     */
    public Builder gatedOutput(PackedWeights gate, PackedWeights up, Activation activation) {
      outputs.add(new Output(gate, Epilogue.of(activation), up));
      return this;
    }

    /**
     * The type of the outputs: F32, which it is unless set, or that of A; of a product in int8 any
     * type of reals.
     */
    public Builder outputType(DType value) {
      outputType = value;
      return this;
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

    private List<PackedWeights> weights() {
      return outputs.stream().flatMap(output -> output.all().stream()).toList();
    }

    private long inputs() {
      return outputs.isEmpty() ? 0 : outputs.getFirst().weights().inputs();
    }

    private Shape shape() {
      List<Long> columns = columnsPerRank;
      return columns == null ? Shape.alongRows(inputs()) : Shape.alongColumns(columns);
    }

    /** Builds it. Collective: all ranks agree, or all throw. */
    public AllGatherMatmul build() {
      return GatherOperator.build(
          "AllGatherMatmul",
          workspace,
          shape(),
          gathered,
          tuning,
          number -> {
            check();
            return new AllGatherMatmul(this, number);
          });
    }

    private void check() {
      if (outputs.isEmpty()) {
        throw new IllegalArgumentException(
            "AllGatherMatmul needs at least one weight matrix: call output(...)");
      }
      for (PackedWeights packed : weights()) {
        if (packed.inputs() != inputs()) {
          throw new IllegalArgumentException(
              "all weights must have the same number of inputs, not %s".formatted(outputs));
        }
        if (packed.type() != workspace.type()) {
          throw new IllegalArgumentException(
              "the workspace is for %s, the weights are %s".formatted(workspace.type(), packed));
        }
      }
      for (Output output : outputs) {
        output.epilogue().check(output.columns());
        if (output.up() != null && output.up().outputs() != output.columns()) {
          throw new IllegalArgumentException(
              "the two weight matrices of a gated output must have the same number of outputs, not %s"
                  .formatted(output));
        }
      }
      if (gathered) {
        workspace.types().checkInPlace();
      }
      if (inputs() > workspace.maxColumns()) {
        throw new IllegalArgumentException(
            "the workspace was opened for up to %d columns, but %s"
                .formatted(
                    workspace.maxColumns(),
                    outputs.getFirst().weights().explainInputs(workspace.maxColumns())));
      }
      if (shape().columns() != inputs()) {
        throw new IllegalArgumentException(
            "the ranks provide %s, but %s"
                .formatted(shape(), outputs.getFirst().weights().explainInputs(shape().columns())));
      }
      boolean rounds = workspace.type().isReal() && outputType != workspace.type();
      if (!outputType.isReal() || (outputType != DType.F32 && rounds)) {
        throw new IllegalArgumentException(
            "outputs of a product of %s are F32%s, not %s"
                .formatted(
                    workspace.type(),
                    workspace.type().isReal() ? " or " + workspace.type() : ", BF16 or F16",
                    outputType));
      }
    }
  }
}
