// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.decoder;

import io.github.gemmflow.Group;
import io.github.gemmflow.ReplicaGroups;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.models.checkpoint.ModelConfig;
import io.github.gemmflow.models.parallel.RowSplit;
import io.github.gemmflow.tuning.Tuning;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

/**
 * One rank of a model. It is made, run and closed on all ranks of the world. Not thread-safe.
 *
 * <p>Every rank gets all logits, so that every rank chooses the same next tokens: nobody has to be
 * told.
 */
public final class Decoder implements AutoCloseable {
  /** Passes of so many rows or fewer wait for messages rather than for bytes. */
  private static final int FEW_ROWS = 4;

  /** What a text takes of memory, in tokens, before it has any. */
  public static final int MORE_TOKENS = KvCache.MORE_POSITIONS;

  private final ModelConfig config;
  private final Part part;
  private final List<Lane> lanes = new ArrayList<>();
  private final Group alone;
  private final Lane few;

  /**
   * Loads this rank's part of a model. Collective.
   *
   * @param group all ranks of the world
   * @param tuning what the operators of all layers start from
   * @param halves 2 to run two halves of a batch at a time, 1 to run it as a whole
   * @param maxRows the most tokens of one pass, over all its sequences
   * @param maxSequences the most sequences of one pass
   */
  public Decoder(
      Group group, Weights weights, Tuning tuning, int halves, int maxRows, int maxSequences) {
    this.config = weights.config();
    this.part = weights.part();
    this.alone = weights.world().split(ReplicaGroups.ofSize(1));
    RowSplit some = new RowSplit(part.rank(), part.shares(), false);
    RowSplit all = new RowSplit(part.rank(), part.shares(), true);
    try (PackedWeights head = weights.lmHead()) {
      for (int i = 0; i < halves; i++) {
        lanes.add(new Lane(group, group, some, weights, head, tuning, maxRows, maxSequences));
      }
      few = new Lane(group, alone, all, weights, head, tuning, FEW_ROWS, FEW_ROWS);
    }
    for (int layer = 0; layer < config.layers(); layer++) {
      try (LayerWeights packed = LayerWeights.of(weights, layer)) {
        lanes.forEach(lane -> lane.add(weights, packed));
        few.add(weights, packed);
      }
    }
    weights.checkpoint().checkAllUsed();
  }

  /** A new sequence. Local, but all ranks begin the same. */
  public Sequence begin(int... prompt) {
    if (prompt.length == 0) {
      throw new IllegalArgumentException("a prompt needs at least one token");
    }
    Arrays.stream(prompt).forEach(this::checkToken);
    int heads = part.kvHeads().size();
    return new Sequence(new KvCache(config.layers(), heads, config.headSize()), prompt);
  }

  /**
   * How many tokens of texts this rank can keep in so much memory. A text counts for {@link
   * #MORE_TOKENS} more than it has.
   *
   * @param bytes of the Java heap
   */
  public long tokensIn(long bytes) {
    return bytes
        / KvCache.bytesPerPosition(config.layers(), part.kvHeads().size(), config.headSize());
  }

  /** The workspaces that the layers use in a pass of so many rows, of each half. */
  public List<Workspace> spaces(int rows) {
    return rows <= FEW_ROWS
        ? few.spaces()
        : lanes.stream().flatMap(lane -> lane.spaces().stream()).toList();
  }

  private void checkToken(int token) {
    if (token < 0 || token >= config.vocabulary()) {
      throw new IllegalArgumentException(
          "no token %d: the model has tokens 0 to %d".formatted(token, config.vocabulary() - 1));
    }
  }

  /**
   * Shows the model the tokens that it has not seen yet. Collective; with the same sequences on all
   * ranks. While sums of one half of them travel, the other half is multiplied.
   *
   * @return for each sequence the logits of the token that comes next
   */
  public float[][] run(List<Sequence> sequences) {
    if (sequences.stream().mapToInt(Sequence::fresh).sum() <= FEW_ROWS) {
      return few.run(sequences);
    }
    int half = half(sequences);
    if (half == sequences.size()) {
      return lanes.get(0).run(sequences);
    }
    List<Sequence> rest = sequences.subList(half, sequences.size());
    // Closing it waits for the second half, also if the first one fails.
    try (ExecutorService other = Executors.newSingleThreadExecutor()) {
      CompletableFuture<float[][]> second =
          CompletableFuture.supplyAsync(() -> lanes.get(1).run(rest), other);
      float[][] first = lanes.get(0).run(sequences.subList(0, half));
      return Stream.of(first, second.join()).flatMap(Arrays::stream).toArray(float[][]::new);
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  /** The same, as a whole. */
  public float[][] runWhole(List<Sequence> sequences) {
    return lanes.get(0).run(sequences);
  }

  /**
   * How many sequences have half of the rows. All, if there is one lane or one sequence, or if each
   * has one row: then reading the weights takes longest, and is done once.
   */
  public int half(List<Sequence> sequences) {
    boolean grows = sequences.stream().allMatch(sequence -> sequence.fresh() == 1);
    if (lanes.size() == 1 || sequences.size() == 1 || grows) {
      return sequences.size();
    }
    int rows = sequences.stream().mapToInt(Sequence::fresh).sum();
    int half = 0;
    for (int before = 0; 2 * before < rows; half++) {
      before += sequences.get(half).fresh();
    }
    return Math.min(half, sequences.size() - 1);
  }

  @Override
  public void close() {
    lanes.forEach(Lane::close);
    few.close();
    alone.close();
  }
}
