// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.encoder;

import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.models.math.Vectors;

/**
 * Attention with this rank's heads: every token looks at all tokens of its sentence.
 *
 * @param headSize the columns of a head
 */
record EncoderAttention(int headSize) {
  /**
   * Writes what all rows attend to.
   *
   * @param firstRows where each sentence begins, and where the last one ends
   */
  void run(int[] firstRows, Matrix q, Matrix k, Matrix v, Matrix attended) {
    int width = (int) q.columns();
    for (int s = 0; s + 1 < firstRows.length; s++) {
      int begin = firstRows[s];
      int end = firstRows[s + 1];
      float[] queries = q.rows(begin, end).toFloats();
      float[] keys = k.rows(begin, end).toFloats();
      float[] values = v.rows(begin, end).toFloats();
      float[] row = new float[width];
      for (int t = 0; t < end - begin; t++) {
        for (int head = 0; head < width; head += headSize) {
          attend(queries, keys, values, t * width + head, head, row);
        }
        attended.setRow(begin + t, row);
      }
    }
  }

  /** What the query at an index attends to, into the columns of its head. */
  private void attend(
      float[] queries, float[] keys, float[] values, int at, int head, float[] row) {
    int width = row.length;
    float[] scores = new float[keys.length / width];
    for (int t = 0; t < scores.length; t++) {
      double score = 0;
      for (int i = 0; i < headSize; i++) {
        score += queries[at + i] * keys[t * width + head + i];
      }
      scores[t] = (float) (score / Math.sqrt(headSize));
    }
    Vectors.softmax(scores, 0, scores.length);
    for (int i = 0; i < headSize; i++) {
      double mean = 0;
      for (int t = 0; t < scores.length; t++) {
        mean += scores[t] * values[t * width + head + i];
      }
      row[head + i] = (float) mean;
    }
  }
}
