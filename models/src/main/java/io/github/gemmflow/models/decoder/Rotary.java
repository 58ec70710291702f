// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.decoder;

import io.github.gemmflow.models.checkpoint.ModelConfig;

/**
 * The rotary embedding of the rows of one pass: it turns pairs of elements of each head by angles
 * that grow with the position. As in Hugging Face's models, an element's partner is half a head
 * away.
 */
final class Rotary {
  private final int half;
  private final float[] cosines;
  private final float[] sines;

  /**
   * Computes all angles, once for all layers.
   *
   * @param positions of each row, in its sequence
   */
  Rotary(ModelConfig config, int[] positions) {
    this.half = config.headSize() / 2;
    this.cosines = new float[positions.length * half];
    this.sines = new float[positions.length * half];
    for (int i = 0; i < half; i++) {
      double frequency = config.rotary().frequency(i, half);
      for (int row = 0; row < positions.length; row++) {
        double angle = positions[row] * frequency;
        cosines[row * half + i] = (float) Math.cos(angle);
        sines[row * half + i] = (float) Math.sin(angle);
      }
    }
  }

  /** Turns all heads of one row. */
  void apply(int row, float[] heads) {
    int angles = row * half;
    for (int head = 0; head < heads.length; head += 2 * half) {
      for (int i = 0; i < half; i++) {
        float x = heads[head + i];
        float y = heads[head + half + i];
        float cos = cosines[angles + i];
        float sin = sines[angles + i];
        heads[head + i] = x * cos - y * sin;
        heads[head + half + i] = y * cos + x * sin;
      }
    }
  }
}
