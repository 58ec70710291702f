// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.decoder;

import io.github.gemmflow.AllGatherMatmul;
import io.github.gemmflow.MatmulAllReduce;
import io.github.gemmflow.MatmulReduceScatter;
import io.github.gemmflow.Operator;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.kernel.Activation;
import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.models.checkpoint.ModelConfig;
import io.github.gemmflow.models.parallel.RowSplit;

/**
 * One layer. Each rank holds its rows of the residual stream, in F32, and adds to them twice:
 *
 * <pre>
 *   my rows, normed     all-gather x (Wq, Wk, Wv)   all rows, my heads
 *   attention                                       all rows, my heads
 *   x Wo                reduce-scatter              my rows, added to the residual stream
 *   my rows, normed     all-gather x (Wgate, Wup)   all rows, my columns of silu(gate) * up
 *   x Wdown             reduce-scatter              my rows, added to the residual stream
 * </pre>
 *
 * <p>All layers use one workspace: a layer has weights, but no shared memory and no threads of its
 * own. Where every rank has all rows, it gathers from itself, and each sum is an all-reduce.
 */
final class Block implements AutoCloseable {
  private final int layer;
  private final RmsNorm attentionNorm;
  private final AllGatherMatmul qkv;
  private final HeadNorms headNorms;
  private final Operator output;
  private final RmsNorm feedForwardNorm;
  private final AllGatherMatmul gateUp;
  private final Operator down;

  /** Builds the operators, which keep the weights. Collective. */
  Block(
      Workspace space,
      Workspace sumSpace,
      RowSplit split,
      Weights weights,
      LayerWeights packed,
      int layer) {
    this.layer = layer;
    ModelConfig config = weights.config();
    String name = "model.layers." + layer + ".";
    String attention = name + "self_attn.";
    Biases biases = Biases.of(weights, attention);
    attentionNorm = weights.norm(name + "input_layernorm", config.hidden());
    qkv =
        AllGatherMatmul.on(space)
            .output(packed.q(), biases.q())
            .output(packed.k(), biases.k())
            .output(packed.v(), biases.v())
            .build();
    headNorms = HeadNorms.of(weights, attention);
    output = sum(sumSpace, split, packed.output(), biases.output());
    feedForwardNorm = weights.norm(name + "post_attention_layernorm", config.hidden());
    gateUp =
        AllGatherMatmul.on(space)
            .gatedOutput(packed.gate(), packed.up(), Activation.SILU)
            .outputType(weights.activationType())
            .build();
    down = sum(sumSpace, split, packed.down(), Epilogue.NONE);
  }

  private static Operator sum(
      Workspace space, RowSplit split, PackedWeights weights, Epilogue bias) {
    return split.isWhole()
        ? MatmulAllReduce.on(space).weights(weights).epilogue(bias).addToOutput().build()
        : MatmulReduceScatter.on(space).weights(weights).epilogue(bias).addToOutput().build();
  }

  /**
   * Runs the layer. Collective.
   *
   * @param residual this rank's rows, which are added to
   * @param a room for what is computed on the way
   */
  void run(Pass pass, Attention attention, Matrix residual, Activations a) {
    try (Step step = qkv.begin(pass.gathered())) {
      attentionNorm.apply(residual, step); // straight to where the other ranks read it
      step.run(a.q(), a.k(), a.v());
    }
    attention.run(layer, headNorms, pass, a);
    output.run(pass.summed(), a.attended(), residual);

    try (Step step = gateUp.begin(pass.gathered())) {
      feedForwardNorm.apply(residual, step);
      step.run(a.gated()); // both products are multiplied while they are in the cache
    }
    down.run(pass.summed(), a.gated(), residual);
  }

  @Override
  public void close() {
    qkv.close();
    output.close();
    gateUp.close();
    down.close();
  }
}
