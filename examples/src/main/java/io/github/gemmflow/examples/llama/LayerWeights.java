// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.llama;

import io.github.gemmflow.kernel.PackedWeights;

/** One rank's weights of one layer, packed. Operators that are built with them keep them. */
record LayerWeights(
    PackedWeights q,
    PackedWeights k,
    PackedWeights v,
    PackedWeights output,
    PackedWeights gate,
    PackedWeights up,
    PackedWeights down)
    implements AutoCloseable {
  static LayerWeights of(Weights weights, int layer) {
    LlamaConfig config = weights.config();
    int hidden = config.hidden();
    int keys = config.kvHeads() * config.headSize();
    int inner = config.intermediate();
    String attention = "model.layers.%d.self_attn.".formatted(layer);
    String feedForward = "model.layers.%d.mlp.".formatted(layer);
    return new LayerWeights(
        weights.byOutputs(attention + "q_proj.weight", hidden, hidden),
        weights.byOutputs(attention + "k_proj.weight", keys, hidden),
        weights.byOutputs(attention + "v_proj.weight", keys, hidden),
        weights.byInputs(attention + "o_proj.weight", hidden, hidden),
        weights.byOutputs(feedForward + "gate_proj.weight", inner, hidden),
        weights.byOutputs(feedForward + "up_proj.weight", inner, hidden),
        weights.byInputs(feedForward + "down_proj.weight", hidden, inner));
  }

  @Override
  public void close() {
    q.close();
    k.close();
    v.close();
    output.close();
    gate.close();
    up.close();
    down.close();
  }
}
