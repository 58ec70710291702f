// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.encoder;

import io.github.gemmflow.AllGather;
import io.github.gemmflow.Group;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.models.parallel.Slice;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One rank of an encoder. It is made, run and closed on all ranks of the world. Not thread-safe.
 */
public final class Encoder implements AutoCloseable {
  private final EncoderWeights weights;
  private final Workspace space;
  private final Workspace resultSpace;
  private final List<EncoderLayer> layers = new ArrayList<>();
  private final AllGather gather;
  private final LayerNorm norm;

  /**
   * Loads this rank's part of a model. Collective.
   *
   * @param group all ranks of the world
   * @param maxRows the most tokens of all sentences together
   */
  public Encoder(Group group, EncoderWeights weights, int maxRows) {
    this.weights = weights;
    int hidden = weights.hidden();
    this.space = Workspace.on(group).rows(maxRows).columns(hidden).type(weights.type()).open();
    this.resultSpace = Workspace.on(group).rows(maxRows).columns(hidden).open();
    for (int layer = 0; layer < weights.layers(); layer++) {
      layers.add(new EncoderLayer(space, weights, layer));
    }
    this.gather = AllGather.on(resultSpace).columns(hidden).build();
    this.norm = LayerNorm.of(weights.tensors(), "embeddings.LayerNorm");
  }

  /**
   * Runs the model. Collective; with the same sentences on all ranks, which all get the same.
   *
   * @param sentences the tokens of each
   * @return for each sentence a row for each token
   */
  public List<float[][]> run(List<int[]> sentences) {
    int[] firstRows = new int[sentences.size() + 1];
    long most = weights.tensors().matrix("embeddings.position_embeddings.weight").rows();
    for (int s = 0; s < sentences.size(); s++) {
      if (sentences.get(s).length > most) {
        throw new IllegalArgumentException(
            "sentence %d has %d tokens, but the model supports at most %d: shorten it"
                .formatted(s, sentences.get(s).length, most));
      }
      firstRows[s + 1] = firstRows[s] + sentences.get(s).length;
    }
    int rows = firstRows[sentences.size()];
    int hidden = weights.hidden();
    Slice myRows = weights.shares().slice(rows, weights.world().rank());
    RowCounts counts = RowCounts.known(weights.shares().sizes(rows));
    try (Arena arena = Arena.ofConfined()) {
      Matrix mine = Matrix.allocate(DType.F32, myRows.size(), hidden, arena);
      embed(sentences, myRows, mine);
      norm.apply(mine);
      layers.forEach(layer -> layer.run(firstRows, counts, mine));
      Matrix all = Matrix.allocate(DType.F32, rows, hidden, arena);
      gather.run(counts, mine, all);
      List<float[][]> results = new ArrayList<>();
      for (int s = 0; s < sentences.size(); s++) {
        float[][] result = new float[sentences.get(s).length][hidden];
        for (int t = 0; t < result.length; t++) {
          all.getRow(firstRows[s] + t, result[t]);
        }
        results.add(result);
      }
      return results;
    }
  }

  /** A row is the sum of what its token stands for and what its position does. */
  private void embed(List<int[]> sentences, Slice myRows, Matrix mine) {
    Matrix tokens = weights.tensors().matrix("embeddings.word_embeddings.weight");
    Matrix positions = weights.tensors().matrix("embeddings.position_embeddings.weight");
    Matrix kinds = weights.tensors().matrix("embeddings.token_type_embeddings.weight");
    float[] sum = new float[weights.hidden()];
    float[] other = new float[weights.hidden()];
    long row = 0;
    for (int[] sentence : sentences) {
      for (int t = 0; t < sentence.length; t++, row++) {
        if (row >= myRows.begin() && row < myRows.end()) {
          tokens.getRow(sentence[t], sum);
          positions.getRow(t, other);
          add(sum, other);
          kinds.getRow(0, other);
          add(sum, other);
          mine.setRow(row - myRows.begin(), sum);
        }
      }
    }
  }

  private static void add(float[] sum, float[] other) {
    for (int i = 0; i < sum.length; i++) {
      sum[i] += other[i];
    }
  }

  /** The vector of a sentence: the mean of its rows, of length 1. */
  public static float[] vector(float[][] rows) {
    float[] mean = new float[rows[0].length];
    Arrays.stream(rows).forEach(row -> add(mean, row));
    double length = Math.sqrt(dot(mean, mean));
    for (int i = 0; i < mean.length; i++) {
      mean[i] /= (float) length;
    }
    return mean;
  }

  /** The cosine of the angle between two vectors of length 1. */
  public static double cosine(float[] x, float[] y) {
    return dot(x, y);
  }

  private static double dot(float[] x, float[] y) {
    double sum = 0;
    for (int i = 0; i < x.length; i++) {
      sum += (double) x[i] * y[i];
    }
    return sum;
  }

  @Override
  public void close() {
    layers.forEach(EncoderLayer::close);
    gather.close();
    space.close();
    resultSpace.close();
  }
}
