// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.checkpoint;

import io.github.gemmflow.json.JsonObject;

/**
 * Frequencies of the rotary embedding: those of {@code theta}, divided by a factor if the model was
 * stretched to longer texts. Llama 3.1 divides the low ones, leaves the high ones, and goes from
 * one to the other in between.
 *
 * @param theta the base of the wavelengths
 * @param factor by which frequencies are divided; 1 if they are not
 * @param low those that turn fewer times than this in the first texts are divided
 * @param high those that turn more times are not
 * @param positions of the texts that the model was made for at first
 */
public record RotaryConfig(double theta, double factor, double low, double high, int positions) {
  /** Reads what a model's {@code config.json} says: under several names, over the years. */
  static RotaryConfig of(JsonObject config) {
    JsonObject scaling =
        config.object(config.has("rope_scaling") ? "rope_scaling" : "rope_parameters");
    double theta = scaling.number("rope_theta", config.number("rope_theta", 10_000));
    String kind = scaling.text("rope_type", scaling.text("type", "default"));
    return switch (kind) {
      case "default" -> new RotaryConfig(theta, 1, 1, 1, 1);
      // All frequencies count as low.
      case "linear" ->
          new RotaryConfig(theta, scaling.number("factor"), Double.MAX_VALUE, Double.MAX_VALUE, 1);
      case "llama3" ->
          new RotaryConfig(
              theta,
              scaling.number("factor"),
              scaling.number("low_freq_factor"),
              scaling.number("high_freq_factor"),
              scaling.integer("original_max_position_embeddings"));
      default ->
          throw new IllegalArgumentException(
              "%s: rotary embeddings of type %s are not supported; supported: default, linear and llama3"
                  .formatted(scaling.name(), kind));
    };
  }

  /**
   * By how much pair {@code i} of a head with so many pairs turns from one position to the next.
   */
  public double frequency(int i, int pairs) {
    double plain = Math.pow(theta, -(double) i / pairs);
    double turns = positions * plain / (2 * Math.PI);
    if (turns >= high) {
      return plain;
    }
    if (turns <= low) {
      return plain / factor;
    }
    double share = (turns - low) / (high - low);
    return plain * (share + (1 - share) / factor);
  }
}
