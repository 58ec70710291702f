// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.llama;

import java.util.Arrays;

/**
 * Causal attention with this rank's heads: every row looks at the rows of its own sequence up to
 * itself. Plain loops on arrays, on the calling thread; the compiler vectorises the innermost ones.
 */
final class Attention {
  private final int layer;
  private final int headSize;
  private final int sharing;
  private final float[] queries;
  private final float[] keys;
  private final float[] values;
  private final float[] out;
  private float[] scores = new float[0];

  Attention(LlamaConfig config, Part part, int layer) {
    this.layer = layer;
    this.headSize = config.headSize();
    this.sharing = config.heads() / config.kvHeads();
    this.queries = new float[part.size(config.heads()) * headSize];
    this.keys = new float[part.size(config.kvHeads()) * headSize];
    this.values = new float[keys.length];
    this.out = new float[queries.length];
  }

  /** Reads queries, keys and values of all rows, and writes what they attend to. */
  void run(Pass pass, Activations a) {
    for (int s = 0; s < pass.sequences().size(); s++) {
      Sequence sequence = pass.sequences().get(s);
      sequence.cache().reserve(sequence.length());
      scores = sequence.length() > scores.length ? new float[2 * sequence.length()] : scores;
      // A row needs no keys of later rows, so one is done before the next begins.
      for (int row = pass.firstRow(s); row < pass.firstRow(s + 1); row++) {
        int position = sequence.seen() + row - pass.firstRow(s);
        a.k().getRow(row, keys);
        a.v().getRow(row, values);
        pass.rotary().apply(row, keys);
        sequence.cache().put(layer, position, keys, values);
        a.q().getRow(row, queries);
        pass.rotary().apply(row, queries);
        attend(sequence.cache(), position + 1);
        a.attended().setRow(row, out);
      }
    }
  }

  private void attend(KvCache cache, int positions) {
    Arrays.fill(out, 0);
    for (int first = 0; first < out.length; first += headSize) {
      int head = first / headSize / sharing;
      score(first, cache.keys(layer, head), cache.capacity(), positions);
      softmax(positions);
      gather(first, cache.values(layer, head), positions);
    }
  }

  /** How well the query that begins at {@code first} fits each key. */
  private void score(int first, float[] keysOfHead, int stride, int positions) {
    float scale = (float) (1 / Math.sqrt(headSize));
    Arrays.fill(scores, 0, positions, 0);
    for (int i = 0; i < headSize; i++) {
      float x = scale * queries[first + i];
      int row = i * stride;
      for (int t = 0; t < positions; t++) {
        scores[t] += x * keysOfHead[row + t];
      }
    }
  }

  private void softmax(int positions) {
    float most = Float.NEGATIVE_INFINITY;
    for (int t = 0; t < positions; t++) {
      most = Math.max(most, scores[t]);
    }
    double sum = 0;
    for (int t = 0; t < positions; t++) {
      scores[t] = (float) Math.exp(scores[t] - most);
      sum += scores[t];
    }
    float factor = (float) (1 / sum);
    for (int t = 0; t < positions; t++) {
      scores[t] *= factor;
    }
  }

  /** The mean of the values, weighted by the scores. */
  private void gather(int first, float[] valuesOfHead, int positions) {
    for (int t = 0; t < positions; t++) {
      float weight = scores[t];
      int row = t * headSize;
      for (int i = 0; i < headSize; i++) {
        out[first + i] += weight * valuesOfHead[row + i];
      }
    }
  }
}
