// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Cases;
import io.github.gemmflow.kit.Draw;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.kit.Pauses;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/**
 * Worlds in which a random rank throws or stalls at a random point: every other rank ends in time
 * with the cause in its message, and nothing is left.
 */
class FailureSoakTest {
  /** For ranks that stall; nobody waits as long for a rank that throws. */
  private static final Duration DEADLINE = Duration.ofSeconds(1);

  private static final Duration LONG = Duration.ofSeconds(30);
  private static final Duration GRACE = Duration.ofSeconds(2);
  private static final String BUG = "a bug in the program of rank ";
  private static final int K = 4;
  private static final int N = 3;

  private enum Point {
    SPLIT,
    WORKSPACE,
    BUILD,
    STEP,
    BROADCAST
  }

  @Test
  void everyOtherRankEndsInTime() {
    Cases.run(
        getClass(), Cases.shortOrSoak(10, 60), seed -> Pauses.retry(() -> new Trial(seed).run()));
  }

  private static final class Trial {
    private final int ranks;
    private final int[] hosts;
    private final int lost;
    private final Point point;
    private final boolean stalls;
    private final Duration deadline;
    private final Duration latest;
    private final CountDownLatch others;
    private volatile long faultAt;

    Trial(long seed) {
      Draw draw = new Draw(seed);
      ranks = 2 + draw.below(3);
      hosts = draw.hosts(ranks);
      lost = draw.below(ranks);
      // Who stalls in a broadcast may only be idle, and nobody gives up then.
      stalls = draw.chance(0.5);
      point = draw.oneOf(List.of(Point.values()).subList(0, stalls ? 4 : 5));
      deadline = stalls ? DEADLINE : LONG;
      latest = stalls ? DEADLINE.plus(GRACE) : GRACE;
      others = new CountDownLatch(ranks - 1);
    }

    void run() {
      Config config = Config.builder().deadline(deadline).setupDeadline(deadline).build();
      RuntimeException thrown = null;
      try {
        LocalWorld.onHosts(hosts).config(config).run(this::rank);
      } catch (RuntimeException e) {
        thrown = e;
      }
      String message = String.valueOf(thrown);
      assertTrue(stalls || message.endsWith(BUG + lost), () -> this + ": " + message);
      Leftovers.assertNone();
    }

    private void rank(World world) {
      try {
        program(world);
      } catch (RuntimeException e) {
        if (world.rank() != lost) {
          long millis = (Pauses.clock() - faultAt) / 1_000_000;
          assertTrue(millis < latest.toMillis(), () -> "%s: %d ms: %s".formatted(this, millis, e));
          String cause = stalls ? "did not call it|rank " + lost : BUG + lost;
          assertTrue(
              e.toString().matches("(?s).*(" + cause + ").*"), () -> "%s: %s".formatted(this, e));
        }
        throw e;
      } finally {
        if (world.rank() != lost) {
          others.countDown();
        }
      }
    }

    private void program(World world) {
      failAt(Point.SPLIT, world);
      try (Arena arena = Arena.ofShared();
          Group group = world.split(ReplicaGroups.ofSize(ranks))) {
        failAt(Point.WORKSPACE, world);
        try (Workspace space = Workspace.on(group).rows(ranks).columns(K).open();
            PackedWeights weights =
                world.pack(Exact.matrix(DType.F32, K, N, 1, arena), WeightLayout.IN_OUT)) {
          failAt(Point.BUILD, world);
          try (AllGatherMatmul linear = AllGatherMatmul.on(space).output(weights).build()) {
            Matrix a = Matrix.allocate(DType.F32, 1, K, arena);
            Matrix c = Matrix.allocate(DType.F32, ranks, N, arena);
            for (int i = 0; i < 5; i++) {
              if (i == 3) {
                failAt(Point.STEP, world);
              }
              Exact.fill(a, i, world.rank());
              linear.run(a, c);
              Exact.checkProduct(c, i, 1, K);
            }
          }
        }
        failAt(Point.BROADCAST, world);
        byte[] _ = group.broadcast(lost, new byte[] {1});
      }
    }

    private void failAt(Point here, World world) {
      if (here != point || world.rank() != lost) {
        return;
      }
      faultAt = Pauses.clock();
      if (!stalls) {
        throw new IllegalStateException(BUG + lost);
      }
      try {
        others.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public String toString() {
      return "rank %d of %s %s at %s"
          .formatted(lost, java.util.Arrays.toString(hosts), stalls ? "stalls" : "throws", point);
    }
  }
}
