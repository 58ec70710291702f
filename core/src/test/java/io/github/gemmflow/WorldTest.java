// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.failure.EngineException;
import io.github.gemmflow.failure.GemmflowException;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.kit.Pauses;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.setup.Providers;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Pauses.class)
class WorldTest {
  @AfterEach
  void nothingIsLeft() {
    Leftovers.assertNone();
  }

  @Test
  void joinWithoutALauncherIsAWorldOfOne() {
    try (World world = World.join()) {
      assertEquals(1, world.size());
      assertEquals(0, world.group().rank());
    }
  }

  @Test
  void oneOfManyTasksWithoutAnEngineIsAnError() {
    for (String variable : new String[] {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
      EngineException e =
          assertThrows(
              EngineException.class,
              () -> Providers.engine("", Duration.ofMinutes(1), Map.of(variable, "8")));
      assertTrue(e.toString().contains("one of 8 (" + variable + ")"), e.getMessage());
    }
    assertEquals(1, Providers.engine("", Duration.ofMinutes(1), Map.of("PMI_SIZE", "1")).size());
  }

  @Test
  void theFirstFailureIsThrownAndEndsTheOthers() {
    IllegalStateException boom = new IllegalStateException("boom");
    AtomicInteger ended = new AtomicInteger();
    IllegalStateException thrown =
        assertThrows(
            IllegalStateException.class,
            () ->
                World.local(
                    3,
                    world -> {
                      try (Workspace space = Workspace.on(world.group()).rows(4).columns(4).open();
                          AllGather gather = AllGather.on(space).build()) {
                        if (world.rank() == 1) {
                          throw boom;
                        }
                        try (Step step = gather.begin(RowCounts.known(1, 1, 1))) {
                          step.run();
                        }
                      } catch (GemmflowException e) {
                        assertTrue(String.valueOf(e.getMessage()).contains("boom"), e::toString);
                        ended.incrementAndGet();
                        throw e;
                      }
                    }));
    assertSame(boom, thrown);
    assertEquals(2, ended.get());
    assertEquals(2, thrown.getSuppressed().length);
  }

  @Test
  void groupsOfEveryShapeRunSideBySide() {
    int[][] explicit = {{0, 3}, {1, 2, 4}, {5}};
    ReplicaGroups[] cuts = {
      ReplicaGroups.ofSize(2), ReplicaGroups.stridedOfSize(3), ReplicaGroups.of(explicit)
    };
    LocalWorld.onHosts(0, 0, 1, 1, 2, 2)
        .run(
            world -> {
              for (ReplicaGroups cut : cuts) {
                Group group = world.split(cut);
                try (Workspace space =
                        Workspace.on(group).rows(30).columns(5).type(DType.F16).open();
                    AllGather gather = AllGather.on(space).build();
                    Step step = gather.begin(RowCounts.mine(world.rank()))) {
                  Exact.fill(step.input(), 3, step.firstRow());
                  step.run();
                  Exact.check(step.gathered(), 3);
                }
              }
            });
  }

  /** One object, made once, however often it is asked for; closed, it is made anew. */
  @Test
  void theGroupOfAllIsMadeOnce() {
    World.local(
        2,
        world -> {
          Group group = world.group();
          assertSame(group, world.group());
          group.close();
          assertThrows(IllegalStateException.class, () -> group.broadcast(0, new byte[1]));
          assertNotSame(group, world.group());
        });
  }

  @Test
  void groupsThatAreClosedLeaveNothing() {
    World.local(
        2,
        world -> {
          for (int i = 0; i < 200; i++) {
            try (Group pair = world.split(ReplicaGroups.ofSize(2));
                Group one = world.split(ReplicaGroups.ofSize(1))) {
              assertArrayEquals(
                  new byte[] {7}, pair.broadcast(1, world.rank() == 1 ? new byte[] {7} : null));
              assertEquals(1, one.size());
            }
          }
          // What the two worlds themselves have, and the other rank's groups.
          assertTrue(Leftovers.mappings() <= 4, Leftovers.mappings() + " windows are mapped");
        });
  }

  @Test
  void aGroupWithAnOpenWorkspaceIsNotClosed() {
    try (World world = World.single();
        Group group = world.group();
        Workspace space = Workspace.on(group).rows(1).columns(1).open()) {
      assertThrows(IllegalStateException.class, group::close);
      assertEquals(1, space.maxRows());
    }
  }

  /** Whoever waits for work without a deadline learns at once that another rank has failed. */
  @Test
  void anExceptionOfTheProgramReachesRanksInABroadcast() {
    Throwable[] thrown = new Throwable[3];
    NullPointerException bug = new NullPointerException("a bug in the program of rank 1");
    RuntimeException first =
        assertThrows(
            RuntimeException.class,
            () ->
                LocalWorld.onHosts(0, 0, 1)
                    .run(
                        world -> {
                          try {
                            world.group().broadcast(0, new byte[] {1});
                            if (world.rank() == 1) {
                              throw bug;
                            }
                            byte[] _ = world.group().broadcast(1, null);
                          } catch (RuntimeException e) {
                            thrown[world.rank()] = e;
                            throw e;
                          }
                        }));
    assertSame(bug, first);
    for (int rank : new int[] {0, 2}) {
      assertTrue(String.valueOf(thrown[rank]).contains(bug.getMessage()), thrown[rank]::toString);
    }
  }

  /** All ranks throw, and go on afterwards. */
  @Test
  @Tag("full")
  void aBroadcastThatIsTooLargeIsRefusedByAll() {
    World.local(
        2,
        world -> {
          Group group = world.group();
          byte[] payload =
              world.rank() == 0 ? new byte[Group.MOST_BROADCAST_BYTES + 1] : new byte[0];
          RuntimeException e =
              assertThrows(RuntimeException.class, () -> group.broadcast(0, payload));
          assertEquals(world.rank() == 0, e instanceof IllegalArgumentException, e::toString);
          assertTrue(e.toString().contains("split it into several"), e::toString);
          assertArrayEquals(new byte[] {3}, group.broadcast(0, new byte[] {3}));
        });
  }

  /** So much that what all ranks give together would not fit a message. */
  @Test
  @Tag("full")
  void anAllGatherThatIsTooLargeIsRefusedByAll() {
    World.local(
        2,
        world -> {
          Group group = world.group();
          byte[] payload = new byte[world.rank() == 0 ? Group.MOST_BROADCAST_BYTES / 2 + 1 : 0];
          RuntimeException e = assertThrows(RuntimeException.class, () -> group.allGather(payload));
          assertEquals(world.rank() == 0, e instanceof IllegalArgumentException, e::toString);
          assertTrue(e.toString().contains("each of 2 ranks sends at most 1,000,000,000 bytes"));
          assertEquals(2, group.allGather(new byte[1]).length);
        });
  }

  /** As many ranks as a group is made for. */
  @Test
  void sixtyFourRanksOnEightHosts() {
    int ranks = 64;
    LocalWorld.onHosts(IntStream.range(0, ranks).map(rank -> rank / 8).toArray())
        .run(
            world -> {
              try (Workspace space =
                      Workspace.on(world.group()).rows(3000).columns(9).type(DType.BF16).open();
                  AllGather gather = AllGather.on(space).build()) {
                for (int i = 0; i < 10; i++) {
                  int step = i;
                  long[] rows =
                      IntStream.range(0, ranks).mapToLong(r -> (r * 7 + step * 13) % 47).toArray();
                  try (Step one = gather.begin(RowCounts.known(rows))) {
                    Exact.fill(one.input(), i, one.firstRow());
                    one.run();
                    Exact.check(one.gathered(), i);
                  }
                }
              }
            });
  }

  @Test
  void groupsMustHoldEveryRankOnce() {
    assertArrayEquals(new int[] {1, 3, 5}, ReplicaGroups.stridedOfSize(3).resolve(6).get(1));
    assertArrayEquals(new int[] {4, 5}, ReplicaGroups.ofSize(2).resolve(6).get(2));
    ReplicaGroups[] wrong = {
      ReplicaGroups.ofSize(4),
      ReplicaGroups.ofSize(0),
      ReplicaGroups.of(new int[] {0, 1, 2}),
      ReplicaGroups.of(new int[] {0, 1, 2}, new int[] {2, 3, 4, 5}),
      ReplicaGroups.of(new int[] {1, 0, 2, 3, 4, 5}),
    };
    for (ReplicaGroups cut : wrong) {
      assertThrows(IllegalArgumentException.class, () -> cut.resolve(6), cut::toString);
    }
  }

  @Test
  void aWorldClosesWhatWasLeftOpen() {
    World.local(
        3,
        world -> {
          Workspace space = Workspace.on(world.group()).rows(30).columns(5).type(DType.BF16).open();
          AllGather gather = AllGather.on(space).build();
          try (Step step = gather.begin(RowCounts.mine(2))) {
            step.run();
          }
          assertEquals(1, space.stats().steps());
          assertEquals(6, space.stats().rows());
        });
  }
}
