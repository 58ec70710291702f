// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.bench;

import io.github.gemmflow.Group;
import io.github.gemmflow.ReplicaGroups;
import io.github.gemmflow.World;
import io.github.gemmflow.tuning.Tuning;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Timing of a linear layer in all views, interleaved, on all ranks of a world.
 *
 * @param groups how many groups run side by side, each with the layer
 * @param warmup rounds before those that count
 * @param iterations rounds that count
 * @param recorded whether a step is recorded after that
 */
public record LayerBenchmark(
    Layer.Size size, int groups, Tuning tuning, int warmup, int iterations, boolean recorded) {
  /** What a round measures, in order: all views, and the last once more as the control. */
  private static final List<View> ROUND =
      Stream.concat(Arrays.stream(View.values()), Stream.of(View.PIPELINED)).toList();

  private static final int CONTROL = ROUND.size() - 1;

  /** What a rank shows the others: its times, then comm CPU, link bytes and its verdict. */
  private static final int EXTRA = 3;

  public LayerBenchmark {
    if (groups < 1 || warmup < 0 || iterations < 1) {
      throw new IllegalArgumentException(
          "%s, %d rounds to warm up and %d that count cannot be run"
              .formatted(Counted.of(groups, "group"), warmup, iterations));
    }
  }

  /**
   * Runs on every rank of a world. Collective.
   *
   * @param progress is told of each round
   * @param bytesIntoHost the bytes that have come into this rank's host over its links so far
   */
  public Result run(World world, Progress progress, LongSupplier bytesIntoHost) {
    Group group =
        groups == 1 ? world.group() : world.split(ReplicaGroups.ofSize(world.size() / groups));
    Group single = world.split(ReplicaGroups.ofSize(1));
    int numbers = ROUND.size() * iterations + EXTRA;
    try (Meeting meeting = new Meeting(world, numbers);
        Layer layer = Layer.of(world, group, single, size, tuning)) {
      double[] mine = new double[numbers];
      measure(world, layer, meeting, mine, progress, bytesIntoHost);
      // Both, whatever comes of the first: all ranks take part in both.
      boolean sequential = layer.verify(View.SEQUENTIAL);
      boolean pipelined = layer.verify(View.PIPELINED);
      mine[numbers - 1] = sequential && pipelined ? 1 : 0;
      RecordedStep recording =
          recorded
              ? RecordedStep.of(world, layer.space(), () -> layer.run(View.PIPELINED), meeting)
              : null;
      return result(world, meeting, layer, mine, recording);
    }
  }

  private void measure(
      World world,
      Layer layer,
      Meeting meeting,
      double[] mine,
      Progress progress,
      LongSupplier bytesIntoHost) {
    Counters counters = new Counters(world.rank());
    boolean countsLinks = countsLinks(meeting.group());
    double commNanos = 0;
    double bytes = 0;
    for (int round = -warmup; round < iterations; round++) {
      if (round < 0) {
        progress.at("warm-up", round + warmup, warmup, Progress.Unit.ROUNDS);
      } else {
        progress.at("iterations", round, iterations, Progress.Unit.ROUNDS);
      }
      for (int i = 0; i < ROUND.size(); i++) {
        boolean isControl = i == CONTROL;
        // Before they meet: a faster rank's rows may be here before this one goes on.
        long bytesBefore = isControl && countsLinks ? bytesIntoHost.getAsLong() : 0;
        meeting.meet();
        long commBefore = isControl ? counters.commThreadNanos() : 0;
        long start = System.nanoTime();
        layer.run(ROUND.get(i));
        long nanos = System.nanoTime() - start;
        if (round >= 0) {
          mine[i * iterations + round] = nanos / 1e6;
        }
        if (round >= 0 && isControl) {
          commNanos += counters.commThreadNanos() - commBefore;
          bytes += countsLinks ? bytesIntoHost.getAsLong() - bytesBefore : 0;
        }
      }
    }
    mine[mine.length - 3] = commNanos / 1e6 / iterations;
    mine[mine.length - 2] = bytes / iterations;
  }

  /** One rank of each host does, where there are several hosts. */
  private static boolean countsLinks(Group all) {
    return all.domains().count() > 1 && all.domains().indexOf(all.rank()) == 0;
  }

  private Result result(
      World world, Meeting meeting, Layer layer, double[] mine, @Nullable RecordedStep recording) {
    double[][] ofRanks = meeting.show(mine);
    int numbers = ofRanks[0].length;
    double[][] slowest = new double[ROUND.size()][iterations];
    double commCpuMillis = 0;
    double linkBytes = 0;
    boolean verified = true;
    for (double[] rank : ofRanks) {
      for (int i = 0; i < slowest.length; i++) {
        for (int round = 0; round < iterations; round++) {
          slowest[i][round] = Math.max(slowest[i][round], rank[i * iterations + round]);
        }
      }
      commCpuMillis = Math.max(commCpuMillis, rank[numbers - 3]);
      linkBytes += rank[numbers - 2];
      verified &= rank[numbers - 1] == 1;
    }
    return new Result(
        this,
        world.size(),
        meeting.group().domains().count(),
        world.engineName(),
        world.kernel().name(),
        world.kernel().instructions(),
        layer.explain(),
        layer.flops(),
        layer.bytesToCross() * groups,
        samples(slowest),
        commCpuMillis,
        Math.round(linkBytes),
        verified,
        recording);
  }

  private static Samples samples(double[][] slowest) {
    Map<View, double[]> views = new EnumMap<>(View.class);
    for (int i = 0; i < CONTROL; i++) {
      views.put(ROUND.get(i), slowest[i]);
    }
    return new Samples(views, slowest[CONTROL]);
  }
}
