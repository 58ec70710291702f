// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure;

import io.github.gemmflow.Group;
import io.github.gemmflow.World;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Rounds of a benchmark, in each of which all ranks do the same things, one after the other, from a
 * common start. Every other round goes backwards: if the machine becomes slower little by little,
 * that favours nothing.
 *
 * @param warmup rounds before those that count
 * @param iterations rounds that count
 * @param progress is told of each round
 * @param bytesIntoHost the bytes that have come into this rank's host over its links so far
 */
public record Rounds(int warmup, int iterations, Progress progress, LongSupplier bytesIntoHost) {
  /** What a rank shows the others besides its times: comm CPU, link bytes and its verdict. */
  private static final int EXTRA = 3;

  /** The times of all rounds are kept. */
  private static final int MOST = 1_000_000;

  /** Throws if there cannot be so many. */
  public static void check(int warmup, int iterations) {
    if (warmup < 0 || iterations < 1) {
      throw new IllegalArgumentException(
          "%d warm-up rounds and %d measured rounds cannot be run".formatted(warmup, iterations));
    }
    if (warmup > MOST || iterations > MOST) {
      throw new IllegalArgumentException(
          "%d warm-up rounds and %d measured rounds are too many: at most %d of either can be run"
              .formatted(warmup, iterations, MOST));
    }
  }

  /**
   * What was measured; the same on all ranks.
   *
   * @param slowest milliseconds of the slowest rank, by part and round
   * @param commCpuMillis the most CPU time that the communication thread of a rank took for the
   *     last part
   * @param linkBytes what came into all hosts over their links in the last part, on average
   * @param verified whether all ranks' results are right
   */
  public record Measured(
      List<double[]> slowest, double commCpuMillis, long linkBytes, boolean verified) {
    /**
     * Whether results are right, for a person.
     *
     * @param exact whether they are whole numbers
     */
    public String verdict(boolean exact) {
      if (!verified) {
        return "NOT VERIFIED: wrong results\n";
      }
      return exact
          ? "verified: exact on all ranks\n"
          : "verified: every element is within the rounding error, on all ranks\n";
    }

    /**
     * What the links carried, for a person.
     *
     * @param bytesToCross what had to cross them
     */
    public String traffic(long bytesToCross) {
      return String.format(
          Locale.ROOT,
          "communication thread: %s of CPU per step; the links carried %,d bytes, %,d had to cross%n",
          Millis.text(commCpuMillis),
          linkBytes,
          bytesToCross);
    }

    /** The same for a program. */
    public void putTraffic(Map<String, Object> all, long bytesToCross) {
      all.put("commCpuMs", commCpuMillis);
      all.put("linkBytes", linkBytes);
      all.put("bytesToCross", bytesToCross);
    }
  }

  /**
   * Runs them. Collective.
   *
   * @param parts what is measured in each round; the last is watched more closely
   * @param verify whether this rank's results are right; called after all rounds
   */
  public Measured run(World world, List<Runnable> parts, BooleanSupplier verify) {
    double[] mine = new double[parts.size() * iterations + EXTRA];
    try (Meeting meeting = new Meeting(world)) {
      measure(world, meeting, parts, mine);
      mine[mine.length - 1] = verify.getAsBoolean() ? 1 : 0;
      return summarise(meeting.show(mine), parts.size());
    }
  }

  private void measure(World world, Meeting meeting, List<Runnable> parts, double[] mine) {
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
      for (int place = 0; place < parts.size(); place++) {
        int i = partAt(place, round, parts.size());
        boolean isLast = i == parts.size() - 1;
        // Before they meet: a faster rank's rows may be here before this one goes on.
        long bytesBefore = isLast && countsLinks ? bytesIntoHost.getAsLong() : 0;
        meeting.meet();
        long commBefore = isLast ? counters.commThreadNanos() : 0;
        long start = System.nanoTime();
        parts.get(i).run();
        long nanos = System.nanoTime() - start;
        if (round >= 0) {
          mine[i * iterations + round] = nanos / 1e6;
        }
        if (round >= 0 && isLast) {
          commNanos += counters.commThreadNanos() - commBefore;
          bytes += countsLinks ? bytesIntoHost.getAsLong() - bytesBefore : 0;
        }
      }
    }
    mine[mine.length - 3] = commNanos / 1e6 / iterations;
    mine[mine.length - 2] = bytes / iterations;
  }

  /** The part that is at a place in a round. */
  static int partAt(int place, int round, int parts) {
    return round % 2 == 0 ? place : parts - 1 - place;
  }

  /** One rank of each host does, where there are several hosts. */
  private static boolean countsLinks(Group all) {
    return all.hosts().count() > 1 && all.hosts().indexOf(all.rank()) == 0;
  }

  private Measured summarise(double[][] ofRanks, int parts) {
    int numbers = ofRanks[0].length;
    double[][] slowest = new double[parts][iterations];
    double commCpuMillis = 0;
    double linkBytes = 0;
    boolean verified = true;
    for (double[] rank : ofRanks) {
      for (int i = 0; i < parts; i++) {
        for (int round = 0; round < iterations; round++) {
          slowest[i][round] = Math.max(slowest[i][round], rank[i * iterations + round]);
        }
      }
      commCpuMillis = Math.max(commCpuMillis, rank[numbers - 3]);
      linkBytes += rank[numbers - 2];
      verified &= rank[numbers - 1] == 1;
    }
    return new Measured(List.of(slowest), commCpuMillis, Math.round(linkBytes), verified);
  }
}
