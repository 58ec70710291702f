// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.decoder;

import io.github.gemmflow.examples.checkpoint.ModelConfig;
import io.github.gemmflow.examples.parallel.Team;
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

  /** Turned queries of all rows, and what they attend to; grows with the rows. */
  private float[] queries = new float[0];

  private float[] attended = new float[0];

  /** Of each thread: one row of heads, of key-value heads twice, and scores. */
  private final Scratch[] scratch;

  private static final class Scratch {
    final float[] queries;
    final float[] keys;
    final float[] values;
    float[] scores = new float[0];

    Scratch(int queries, int keys) {
      this.queries = new float[queries];
      this.keys = new float[keys];
      this.values = new float[keys];
    }
  }

  Attention(ModelConfig config, Part part, Team team) {
    this.config = config;
    this.part = part;
    this.team = team;
    this.size = config.headSize();
    this.scratch = new Scratch[team.members()];
    Arrays.setAll(
        scratch, i -> new Scratch(part.heads().size() * size, part.kvHeads().size() * size));
  }

  /** Reads queries, keys and values of all rows of a layer, and writes what they attend to. */
  void run(int layer, HeadNorms norms, Pass pass, Activations a) {
    int width = part.heads().size() * size;
    if (queries.length < pass.rows() * width) {
      queries = new float[pass.rows() * width];
      attended = new float[pass.rows() * width];
    }
    pass.sequences()
        .forEach(sequence -> sequence.cache().reserve(sequence.seen() + sequence.fresh()));
    int blocks = Math.ceilDiv(pass.rows(), ROWS);
    team.run(blocks, (block, member) -> turn(layer, norms, pass, a, block, scratch[member]));
    int heads = part.heads().size();
    team.run(
        blocks * heads,
        (task, member) -> attend(layer, pass, task / heads, task % heads, scratch[member]));
    team.run(blocks, (block, member) -> write(pass, a, block, scratch[member]));
  }

  private static int end(Pass pass, int block) {
    return Math.min(pass.rows(), (block + 1) * ROWS);
  }

  /** Norms and turns queries and keys, and keeps keys and values. */
  private void turn(int layer, HeadNorms norms, Pass pass, Activations a, int block, Scratch mine) {
    for (int row = block * ROWS; row < end(pass, block); row++) {
      a.q().getRow(row, mine.queries);
      HeadNorms.apply(norms.queries(), mine.queries, size);
      pass.rotary().apply(row, mine.queries);
      System.arraycopy(mine.queries, 0, queries, row * mine.queries.length, mine.queries.length);
      a.k().getRow(row, mine.keys);
      HeadNorms.apply(norms.keys(), mine.keys, size);
      pass.rotary().apply(row, mine.keys);
      a.v().getRow(row, mine.values);
      pass.sequence(row).cache().put(layer, pass.position(row), mine.keys, mine.values);
    }
  }

  private void write(Pass pass, Activations a, int block, Scratch mine) {
    for (int row = block * ROWS; row < end(pass, block); row++) {
      System.arraycopy(attended, row * mine.queries.length, mine.queries, 0, mine.queries.length);
      a.attended().setRow(row, mine.queries);
    }
  }

  /** What one head of some rows attends to. */
  private void attend(int layer, Pass pass, int block, int head, Scratch mine) {
    int kvHead = (int) ((part.heads().begin() + head) / config.sharing() - part.kvHeads().begin());
    for (int row = block * ROWS; row < end(pass, block); row++) {
      KvCache cache = pass.sequence(row).cache();
      int end = pass.position(row) + 1;
      int begin = Math.max(0, end - config.window());
      if (mine.scores.length < end) {
        mine.scores = new float[2 * end];
      }
      int at = (row * part.heads().size() + head) * size;
      score(at, cache.keys(layer, kvHead), cache.capacity(), begin, end, mine.scores);
      Softmax.apply(mine.scores, begin, end);
      gather(at, cache.values(layer, kvHead), begin, end, mine.scores);
    }
  }

  /** How well the query at an index fits each key. */
  private void score(int at, float[] keys, int stride, int begin, int end, float[] scores) {
    float scale = (float) (1 / Math.sqrt(size));
    Arrays.fill(scores, begin, end, 0);
    for (int i = 0; i < size; i += 2) {
      float x = scale * queries[at + i];
      float y = scale * queries[at + i + 1];
      int first = i * stride;
      int second = first + stride;
      for (int t = begin; t < end; t++) {
        scores[t] += x * keys[first + t] + y * keys[second + t];
      }
    }
  }

  /** The mean of the values, weighted by the scores. */
  private void gather(int at, float[] values, int begin, int end, float[] scores) {
    Arrays.fill(attended, at, at + size, 0);
    for (int t = begin; t < end; t++) {
      float weight = scores[t];
      int first = t * size;
      for (int i = 0; i < size; i++) {
        attended[at + i] += weight * values[first + i];
      }
    }
  }
}
