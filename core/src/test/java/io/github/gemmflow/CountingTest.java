// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.gemmflow.failure.DisagreementException;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * After a disagreement the ranks go on with the same tags and numbers: rows of one workspace never
 * land in another one.
 */
class CountingTest {
  private static final int K = 16;
  private static final Config CONFIG =
      Config.builder()
          .deadline(Duration.ofSeconds(5))
          .setupDeadline(Duration.ofSeconds(10))
          .build();

  /** Rank 0 does one thing and rank 1 another; both find out. */
  private static void disagree(World world, Executable ofRank0) {
    Executable mine = world.rank() == 0 ? ofRank0 : () -> world.group().broadcast(0, null);
    assertThrows(DisagreementException.class, mine);
  }

  @Test
  void workspacesAfterADisagreementKeepTheirRowsApart() {
    LocalWorld.onHosts(0, 1)
        .config(CONFIG)
        .run(
            world -> {
              Group group = world.group();
              disagree(world, () -> Workspace.on(group).rows(64).columns(K).open());
              try (Arena arena = Arena.ofShared();
                  ExecutorService threads = Executors.newFixedThreadPool(2);
                  Workspace first = Workspace.on(group).rows(64).columns(K).open();
                  Workspace second = Workspace.on(group).rows(64).columns(K).open();
                  AllGather one = AllGather.on(first).build();
                  AllGather other = AllGather.on(second).build()) {
                List<CompletableFuture<Void>> both = new ArrayList<>();
                for (AllGather gather : List.of(one, other)) {
                  long seed = gather.equals(one) ? 1 : 2;
                  both.add(
                      CompletableFuture.runAsync(
                          () -> gather(gather, world.rank(), seed, arena), threads));
                }
                both.forEach(CompletableFuture::join);
              }
            });
  }

  private static void gather(AllGather gather, int rank, long seed, Arena arena) {
    Matrix mine = Matrix.allocate(DType.F32, 4, K, arena);
    Exact.fill(mine, seed, 4L * rank);
    Matrix all = Matrix.allocate(DType.F32, 8, K, arena).fill(Float.NaN);
    gather.run(mine, all);
    Exact.check(all, seed);
  }

  @Test
  void operatorsAfterADisagreementAreBuilt() {
    LocalWorld.of(2)
        .config(CONFIG)
        .run(
            world -> {
              try (Arena arena = Arena.ofShared();
                  Workspace space = Workspace.on(world.group()).rows(64).columns(K).open()) {
                disagree(world, () -> AllGather.on(space).build());
                disagree(world, () -> AllReduce.on(space).build());
                try (AllGather gather = AllGather.on(space).build();
                    AllReduce sum = AllReduce.on(space).build()) {
                  gather(gather, world.rank(), 1, arena);
                  Matrix a = Matrix.allocate(DType.F32, 2, K, arena).fill(1);
                  sum.run(a, a);
                  assertEquals(2, a.get(1, 1));
                }
              }
            });
  }
}
