// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.encoder;

import io.github.gemmflow.AllGatherMatmul;
import io.github.gemmflow.MatmulReduceScatter;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.kernel.Activation;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.models.parallel.Slice;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/**
 * One layer of an encoder. Each rank holds its rows, in F32, and adds to them twice; unlike a
 * decoder of today it norms them afterwards, and all products have a bias:
 *
 * <pre>
 *   my rows             all-gather x (Wq, Wk, Wv)   all rows, my heads
 *   attention                                       all rows, my heads
 *   x Wo                reduce-scatter              my rows, added to and normed
 *   my rows             all-gather x Wi, GELU       all rows, my columns
 *   x Wd                reduce-scatter              my rows, added to and normed
 * </pre>
 */
final class EncoderLayer implements AutoCloseable {
  private final DType type;
  private final EncoderAttention attention;
  private final int heads;
  private final int inner;
  private final AllGatherMatmul qkv;
  private final MatmulReduceScatter output;
  private final LayerNorm attentionNorm;
  private final AllGatherMatmul intermediate;
  private final MatmulReduceScatter down;
  private final LayerNorm outputNorm;

  /** Builds the operators. Collective. */
  EncoderLayer(Workspace space, EncoderWeights weights, int layer) {
    String name = "encoder.layer." + layer + ".";
    Slice mine = weights.headColumns();
    Slice mineInner = weights.innerColumns();
    this.type = weights.activationType();
    this.attention = new EncoderAttention(weights.headSize());
    this.heads = mine.size();
    this.inner = mineInner.size();
    this.qkv =
        product(
            AllGatherMatmul.on(space),
            weights,
            mine,
            Activation.NONE,
            name + "attention.self.query",
            name + "attention.self.key",
            name + "attention.self.value");
    this.output = sum(space, weights, name + "attention.output.dense", mine);
    this.attentionNorm = LayerNorm.of(weights.tensors(), name + "attention.output.LayerNorm");
    this.intermediate =
        product(
            AllGatherMatmul.on(space).outputType(type),
            weights,
            mineInner,
            Activation.GELU,
            name + "intermediate.dense");
    this.down = sum(space, weights, name + "output.dense", mineInner);
    this.outputNorm = LayerNorm.of(weights.tensors(), name + "output.LayerNorm");
  }

  private static AllGatherMatmul product(
      AllGatherMatmul.Builder builder,
      EncoderWeights weights,
      Slice mine,
      Activation activation,
      String... names) {
    List<PackedWeights> packed = new ArrayList<>();
    for (String name : names) {
      PackedWeights one = weights.byOutputs(name, mine);
      packed.add(one);
      builder.output(one, weights.bias(name, mine, activation));
    }
    AllGatherMatmul product = builder.build();
    packed.forEach(PackedWeights::close);
    return product;
  }

  private static MatmulReduceScatter sum(
      Workspace space, EncoderWeights weights, String name, Slice mine) {
    try (PackedWeights packed = weights.byInputs(name, mine)) {
      return MatmulReduceScatter.on(space)
          .weights(packed)
          .epilogue(weights.bias(name, weights.allColumns(), Activation.NONE))
          .addToOutput()
          .build();
    }
  }

  /**
   * Runs the layer. Collective.
   *
   * @param firstRows where each sentence begins, and where the last one ends
   * @param rows how many each rank has
   * @param mine this rank's rows, which are replaced
   */
  void run(int[] firstRows, RowCounts rows, Matrix mine) {
    try (Arena arena = Arena.ofConfined()) {
      int all = firstRows[firstRows.length - 1];
      Matrix q = Matrix.allocate(DType.F32, all, heads, arena);
      Matrix k = Matrix.allocate(DType.F32, all, heads, arena);
      Matrix v = Matrix.allocate(DType.F32, all, heads, arena);
      Matrix attended = Matrix.allocate(type, all, heads, arena);
      run(qkv, rows, mine, q, k, v);
      attention.run(firstRows, q, k, v, attended);
      output.run(rows, attended, mine);
      attentionNorm.apply(mine);
      Matrix hidden = Matrix.allocate(type, all, inner, arena);
      run(intermediate, rows, mine, hidden);
      down.run(rows, hidden, mine);
      outputNorm.apply(mine);
    }
  }

  private static void run(
      AllGatherMatmul operator, RowCounts rows, Matrix mine, Matrix... outputs) {
    try (Step step = operator.begin(rows)) {
      step.write(mine);
      step.run(outputs);
    }
  }

  @Override
  public void close() {
    qkv.close();
    output.close();
    intermediate.close();
    down.close();
  }
}
