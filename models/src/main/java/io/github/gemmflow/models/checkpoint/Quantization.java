// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.checkpoint;

import io.github.gemmflow.json.JsonObject;

/**
 * Quantisation of a model's weights, as its {@code config.json} describes it. Known is W8A8 of
 * {@code compressed-tensors}: weights in int8 with a scale for each output, rows with a scale for
 * each token that is found when they are multiplied.
 */
final class Quantization {
  private Quantization() {}

  /** Whether weights are int8; throws if they are something else that is not known. */
  static boolean isInt8(JsonObject config) {
    if (!config.fields().iterator().hasNext()) {
      return false;
    }
    config.only("quant_method", "compressed-tensors");
    config.only("format", "int-quantized");
    for (JsonObject group : config.objects("config_groups")) {
      JsonObject weights = group.object("weights");
      weights.only("num_bits", "8");
      weights.only("type", "int");
      weights.only("symmetric", "true");
      weights.only("strategy", "channel");
      JsonObject rows = group.object("input_activations");
      rows.only("num_bits", "8");
      rows.only("type", "int");
      rows.only("symmetric", "true");
      rows.only("strategy", "token");
      rows.only("dynamic", "true");
    }
    return true;
  }
}
