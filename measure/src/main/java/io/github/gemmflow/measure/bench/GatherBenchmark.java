// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.bench;

import io.github.gemmflow.AllGather;
import io.github.gemmflow.Group;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.Shards;
import io.github.gemmflow.measure.Progress;
import io.github.gemmflow.measure.Rounds;
import io.github.gemmflow.measure.layer.Integers;
import io.github.gemmflow.tuning.Storage;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Timing of a gather alone: read in place, and copied out, interleaved, on all ranks of a world.
 *
 * @param m rows of A, over all ranks if rows are gathered
 * @param k columns of A, over all ranks if columns are gathered
 * @param alongColumns whether each rank has some columns of A, and not some rows
 * @param warmup rounds before those that count
 * @param iterations rounds that count
 */
public record GatherBenchmark(
    long m, long k, DType type, boolean alongColumns, int warmup, int iterations)
    implements Benchmark {
  private static final long SEED = 1;

  public GatherBenchmark {
    Rounds.check(warmup, iterations);
    if (m < 1 || k < 1) {
      throw new IllegalArgumentException("%d x %d has nothing to gather".formatted(m, k));
    }
  }

  @Override
  public GatherResult run(World world, Progress progress, LongSupplier bytesIntoHost) {
    Rounds rounds = new Rounds(warmup, iterations, progress, bytesIntoHost);
    Group group = world.group();
    long[] shares = Shards.of(alongColumns ? k : m, group.size()).sizes();
    RowCounts counts = alongColumns ? RowCounts.equal(group.size(), m) : RowCounts.known(shares);
    try (Arena arena = Arena.ofShared();
        // What is streamed is never in one place, where it could be read.
        Workspace space =
            Workspace.on(group)
                .rows(m)
                .columns(k)
                .type(type)
                .tuning(world.tuning().withStorage(Storage.GATHERED))
                .open();
        AllGather gather = build(space, shares)) {
      Matrix all = Matrix.allocate(type, m, k, arena);
      fillRooms(gather, counts, shares, group.rank());
      Runnable inPlace = () -> step(gather, counts);
      Runnable copied = () -> step(gather, counts, all);
      Rounds.Measured measured =
          rounds.run(world, List.of(inPlace, copied, inPlace), () -> verify(all, copied));
      return new GatherResult(
          this,
          world.size(),
          group.hosts().count(),
          world.engineName(),
          gather.explain(),
          measured);
    }
  }

  private AllGather build(Workspace space, long[] shares) {
    AllGather.Builder builder = AllGather.on(space);
    return (alongColumns ? builder.columnsPerRank(shares) : builder.columns(k)).build();
  }

  /** Steps of a workspace take turns in two rooms, and rows stay where they were written. */
  private void fillRooms(AllGather gather, RowCounts counts, long[] shares, int rank) {
    long first = Arrays.stream(shares, 0, rank).sum();
    for (int room = 0; room < 2; room++) {
      try (Step step = gather.begin(counts)) {
        Integers.fill(step.input(), SEED, alongColumns ? 0 : first, alongColumns ? first : 0);
        step.run();
      }
    }
  }

  private static void step(AllGather gather, RowCounts counts, Matrix... outputs) {
    try (Step step = gather.begin(counts)) {
      step.run(outputs);
    }
  }

  private static boolean verify(Matrix all, Runnable copied) {
    all.fill(Float.NaN);
    copied.run();
    return Integers.isFilled(all, SEED);
  }

  long bytes() {
    return m * k * type.bytes();
  }
}
