// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.decoder;

import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.models.checkpoint.ModelConfig;
import io.github.gemmflow.models.parallel.Slice;
import java.util.List;

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
    ModelConfig config = weights.config();
    Part part = weights.part();
    int hidden = config.hidden();
    int queries = config.heads() * config.headSize();
    int keys = config.kvHeads() * config.headSize();
    int inner = config.intermediate();
    Slice mine = part.heads().times(config.headSize());
    Slice mineKv = part.kvHeads().times(config.headSize());
    String attention = "model.layers.%d.self_attn.".formatted(layer);
    String feedForward = "model.layers.%d.mlp.".formatted(layer);
    return new LayerWeights(
        weights.byOutputs(attention + "q_proj", queries, hidden, mine),
        weights.byOutputs(attention + "k_proj", keys, hidden, mineKv),
        weights.byOutputs(attention + "v_proj", keys, hidden, mineKv),
        weights.byInputs(attention + "o_proj", hidden, queries, mine),
        weights.byOutputs(feedForward + "gate_proj", inner, hidden, part.inner()),
        weights.byOutputs(feedForward + "up_proj", inner, hidden, part.inner()),
        weights.byInputs(feedForward + "down_proj", hidden, inner, part.inner()));
  }

  @Override
  public void close() {
    List.of(q, k, v, output, gate, up, down).forEach(PackedWeights::close);
  }
}
