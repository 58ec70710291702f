// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.decoder;

import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.models.checkpoint.ModelConfig;
import io.github.gemmflow.models.math.Vectors;
import io.github.gemmflow.models.parallel.Team;
import java.util.Arrays;

/**
 * Causal attention with this rank's heads: every row looks at the rows of its own sequence up to
 * itself. Heads and rows are divided among the threads of a team. Plain loops on arrays, whose
 * innermost ones the compiler vectorises.
 */
final class Attention {
  /** Rows that one thread takes at a time. */
  private static final int ROWS = 32;

  private final ModelConfig config;
  private final Part part;
  private final Team team;
  private final int size;

  Attention(ModelConfig config, Part part, Team team) {
    this.config = config;
    this.part = part;
    this.team = team;
    this.size = config.headSize();
  }

  /** Reads queries, keys and values of all rows of a layer, and writes what they attend to. */
  void run(int layer, HeadNorms norms, Pass pass, Activations a) {
    pass.sequences()
        .forEach(sequence -> sequence.cache().reserve(sequence.seen() + sequence.fresh()));
    int blocks = Math.ceilDiv(pass.rows(), ROWS);
    team.run(blocks, block -> turn(layer, norms, pass, a, block));
    int heads = part.heads().size();
    team.run(blocks * heads, task -> attend(layer, pass, a, task / heads, task % heads));
  }

  private static int end(Pass pass, int block) {
    return Math.min(pass.rows(), (block + 1) * ROWS);
  }

  /** Norms and turns queries and keys, and keeps keys and values. */
  private void turn(int layer, HeadNorms norms, Pass pass, Activations a, int block) {
    float[] q = new float[part.heads().size() * size];
    float[] k = new float[part.kvHeads().size() * size];
    float[] v = new float[k.length];
    for (int row = block * ROWS; row < end(pass, block); row++) {
      a.q().getRow(row, q);
      HeadNorms.apply(norms.queries(), q, size);
      pass.rotary().apply(row, q);
      a.q().setRow(row, q);
      a.k().getRow(row, k);
      HeadNorms.apply(norms.keys(), k, size);
      pass.rotary().apply(row, k);
      a.v().getRow(row, v);
      pass.sequence(row).cache().put(layer, pass.position(row), k, v);
    }
  }

  /** What one head of some rows attends to. */
  private void attend(int layer, Pass pass, Activations a, int block, int head) {
    Matrix queries = a.q().columns((long) head * size, (head + 1L) * size);
    Matrix attended = a.attended().columns((long) head * size, (head + 1L) * size);
    int kvHead = (int) ((part.heads().begin() + head) / config.sharing() - part.kvHeads().begin());
    float[] query = new float[size];
    float[] mean = new float[size];
    float[] scores = new float[0];
    for (int row = block * ROWS; row < end(pass, block); row++) {
      KvCache cache = pass.sequence(row).cache();
      int end = pass.position(row) + 1;
      int begin = Math.max(0, end - config.window());
      scores = scores.length < end ? new float[2 * end] : scores;
      queries.getRow(row, query);
      score(query, cache.keys(layer, kvHead), begin, end, scores);
      Vectors.softmax(scores, begin, end);
      gather(scores, cache.values(layer, kvHead), begin, end, mean);
      attended.setRow(row, mean);
    }
  }

  /** How well a query fits each key, of which an element of all positions is a row. */
  private void score(float[] query, float[][] keys, int begin, int end, float[] scores) {
    Arrays.fill(scores, begin, end, 0);
    float scale = (float) (1 / Math.sqrt(size));
    for (int i = 0; i < size; i += 4) {
      Vectors.addFour(query, scale, i, size, keys, scores, begin, end);
    }
  }

  /** The mean of the values, weighted by the scores. */
  private void gather(float[] scores, float[][] values, int begin, int end, float[] mean) {
    Arrays.fill(mean, 0);
    for (int t = begin; t < end; t += 4) {
      Vectors.addFour(scores, 1, t, end, values, mean, 0, size);
    }
  }
}
