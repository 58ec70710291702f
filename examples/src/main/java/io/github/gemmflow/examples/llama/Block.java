// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.llama;

import io.github.gemmflow.AllGatherMatmul;
import io.github.gemmflow.MatmulReduceScatter;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.kernel.Activation;
import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.matrix.Matrix;

/**
 * One layer. Each rank holds its rows of the residual stream, in F32, and adds to them twice:
 *
 * <pre>
 *   my rows, normed     all-gather x (Wq, Wk, Wv)   all rows, my heads
 *   attention                                       all rows, my heads
 *   x Wo                reduce-scatter              my rows, added to the residual stream
 *   my rows, normed     all-gather x (Wgate, Wup)   all rows, my columns
 *   silu(gate) * up                                 all rows, my columns
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
  private final float[] gate;
  private final float[] up;
  private final Rows rows;

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
      qkv = AllGatherMatmul.on(space).weights(q, k, v).build();
    }
    attention = new Attention(config, weights.part(), layer);
    try (PackedWeights o = weights.byInputs(name + "self_attn.o_proj.weight", hidden, hidden)) {
      output = MatmulReduceScatter.on(space).weights(o).addToOutput().build();
    }
    feedForwardNorm = weights.norm(name + "post_attention_layernorm.weight");
    try (PackedWeights g = weights.byOutputs(name + "mlp.gate_proj.weight", inner, hidden);
        PackedWeights u = weights.byOutputs(name + "mlp.up_proj.weight", inner, hidden)) {
      Epilogue silu = Epilogue.of(Activation.SILU);
      gateUp = AllGatherMatmul.on(space).weights(g, u).epilogue(0, silu).build();
    }
    try (PackedWeights d = weights.byInputs(name + "mlp.down_proj.weight", hidden, inner)) {
      down = MatmulReduceScatter.on(space).weights(d).addToOutput().build();
    }
    gate = new float[weights.part().size(inner)];
    up = new float[gate.length];
    rows = new Rows(gate.length);
  }

  /**
   * Runs the layer. Collective.
   *
   * @param residual this rank's rows, which are added to
   * @param a room for what is computed on the way
   */
  void run(Pass pass, Matrix residual, Activations a) {
    long[] rowsPerRank = pass.rowsPerRank();
    try (Step step = qkv.begin(rowsPerRank)) {
      attentionNorm.apply(residual, step.input()); // straight to where the other ranks read it
      step.run(a.q(), a.k(), a.v());
    }
    attention.run(pass, a);
    output.run(rowsPerRank, a.attended(), residual);

    try (Step step = gateUp.begin(rowsPerRank)) {
      feedForwardNorm.apply(residual, step.input());
      step.run(a.gate(), a.up()); // silu is applied to the gate while it is in the cache
    }
    multiply(a.gate(), a.up(), a.gated());
    down.run(rowsPerRank, a.gated(), residual);
  }

  private void multiply(Matrix gates, Matrix ups, Matrix products) {
    for (long row = 0; row < products.rows(); row++) {
      rows.load(gates, row, gate);
      rows.load(ups, row, up);
      for (int i = 0; i < gate.length; i++) {
        gate[i] *= up[i];
      }
      rows.store(gate, products, row);
    }
  }

  @Override
  public void close() {
    qkv.close();
    output.close();
    gateUp.close();
    down.close();
  }
}
