// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.llama;

import io.github.gemmflow.AllGatherMatmul;
import io.github.gemmflow.MatmulReduceScatter;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.kernel.Activation;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.matrix.Matrix;

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
 * own.
 */
final class Block implements AutoCloseable {
  private final RmsNorm attentionNorm;
  private final AllGatherMatmul qkv;
  private final Attention attention;
  private final MatmulReduceScatter output;
  private final RmsNorm feedForwardNorm;
  private final AllGatherMatmul gateUp;
  private final MatmulReduceScatter down;

  /** Packs this rank's weights and builds the operators, which keep them. Collective. */
  Block(Workspace space, Weights weights, int layer) {
    LlamaConfig config = weights.config();
    int hidden = config.hidden();
    int keys = config.kvHeads() * config.headSize();
    int inner = config.intermediate();
    String name = "model.layers." + layer + ".";
    attentionNorm = weights.norm(name + "input_layernorm.weight");
    try (PackedWeights q = weights.byOutputs(name + "self_attn.q_proj.weight", hidden, hidden);
        PackedWeights k = weights.byOutputs(name + "self_attn.k_proj.weight", keys, hidden);
        PackedWeights v = weights.byOutputs(name + "self_attn.v_proj.weight", keys, hidden)) {
      qkv = AllGatherMatmul.on(space).output(q).output(k).output(v).build();
    }
    attention = new Attention(config, weights.part(), layer);
    try (PackedWeights o = weights.byInputs(name + "self_attn.o_proj.weight", hidden, hidden)) {
      output = MatmulReduceScatter.on(space).weights(o).addToOutput().build();
    }
    feedForwardNorm = weights.norm(name + "post_attention_layernorm.weight");
    try (PackedWeights g = weights.byOutputs(name + "mlp.gate_proj.weight", inner, hidden);
        PackedWeights u = weights.byOutputs(name + "mlp.up_proj.weight", inner, hidden)) {
      gateUp =
          AllGatherMatmul.on(space)
              .gatedOutput(g, u, Activation.SILU)
              .outputType(weights.activationType())
              .build();
    }
    try (PackedWeights d = weights.byInputs(name + "mlp.down_proj.weight", hidden, inner)) {
      down = MatmulReduceScatter.on(space).weights(d).addToOutput().build();
    }
  }

  /**
   * Runs the layer. Collective.
   *
   * @param residual this rank's rows, which are added to
   * @param a room for what is computed on the way
   */
  void run(Pass pass, Matrix residual, Activations a) {
    RowCounts rows = RowCounts.known(pass.rowsPerRank());
    try (Step step = qkv.begin(rows)) {
      attentionNorm.apply(residual, step); // straight to where the other ranks read it
      step.run(a.q(), a.k(), a.v());
    }
    attention.run(pass, a);
    output.run(rows, a.attended(), residual);

    try (Step step = gateUp.begin(rows)) {
      feedForwardNorm.apply(residual, step);
      step.run(a.gated()); // both products are multiplied while they are in the cache
    }
    down.run(rows, a.gated(), residual);
  }

  @Override
  public void close() {
    qkv.close();
    output.close();
    gateUp.close();
    down.close();
  }
}
