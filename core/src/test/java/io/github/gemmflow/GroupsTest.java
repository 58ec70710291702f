// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Chaos;
import io.github.gemmflow.kit.ChaosEngine;
import io.github.gemmflow.kit.Draw;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.kit.Way;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.tuning.Tuning;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Every process is in several groups, of different sizes and shapes, and has a step under way in
 * each of them at the same time.
 */
class GroupsTest {
  private static final int[] HOSTS = {0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2};
  private static final List<ReplicaGroups> CUTS =
      List.of(
          ReplicaGroups.ofSize(4),
          ReplicaGroups.stridedOfSize(3),
          ReplicaGroups.ofSize(1),
          ReplicaGroups.of(new int[] {0, 3, 5, 8, 11}, new int[] {1, 2, 4, 6, 7, 9, 10}));
  private static final int STEPS = 100;
  private static final int MAX_ROWS = 60;
  private static final int K = 11;
  private static final int N = 5;

  @Test
  void stepsOfManyGroupsAreUnderWayAtOnce() {
    LocalWorld.onHosts(HOSTS)
        .decorate(engine -> new ChaosEngine(engine, Chaos.delays(3)))
        .run(
            world -> {
              List<Group> groups = CUTS.stream().map(world::split).toList();
              List<Member> members = new ArrayList<>();
              for (int i = 0; i < groups.size(); i++) {
                members.add(new Member(world, groups.get(i), i));
              }
              for (int step = 0; step < STEPS; step++) {
                for (Member member : members) {
                  member.start(step);
                }
                for (Member member : members) {
                  member.finish(step);
                }
              }
              members.forEach(Member::close);
            });
  }

  /** An engine may block while it forms groups, and steps would stand still. */
  @Test
  void noGroupIsFormedWhileAStepIsOpen() {
    World.local(
        2,
        world -> {
          Group group = world.group();
          try (Workspace space = Workspace.on(group).rows(2).columns(4).open();
              AllGather gather = AllGather.on(space).columns(4).build()) {
            try (Step step = gather.begin(RowCounts.known(1, 1))) {
              IllegalStateException e =
                  assertThrows(
                      IllegalStateException.class,
                      () -> world.split(ReplicaGroups.ofSize(world.size())));
              assertTrue(e.toString().contains("end it before the world is split"), e.toString());
              step.input().fill(1);
              step.run();
            }
            assertEquals(2, world.group().size());
          }
        });
  }

  /** A rank's part in one of its groups. */
  private static final class Member implements AutoCloseable {
    private final Group group;
    private final Draw draw;
    private final Arena arena = Arena.ofShared();
    private final Workspace space;
    private final Way way;
    private final AllGatherMatmul operator;
    private final Matrix c = Matrix.allocate(DType.F32, MAX_ROWS, N, arena);
    private Step step;
    private RunHandle running;

    Member(World world, Group group, int cut) {
      this.group = group;
      // The same for all groups of a cut, so for all ranks of each of them.
      this.draw = new Draw(cut);
      Tuning room = draw.room(MAX_ROWS);
      this.space = Workspace.on(group).rows(MAX_ROWS).columns(K).tuning(room).open();
      this.way = Way.draw(draw, group.size(), K, draw.tuning(9, room));
      try (var weights = world.pack(Exact.matrix(DType.F32, K, N, 7, arena), WeightLayout.IN_OUT)) {
        this.operator = way.on(AllGatherMatmul.on(space).output(weights)).build();
      }
      this.step = begin(0);
      this.running = step.start(c.rows(0, step.rows()));
    }

    private Step begin(int number) {
      Step begun = way.begin(operator, draw.rows(group.size(), MAX_ROWS));
      way.fill(begun, number, group.rank());
      return begun;
    }

    void start(int number) {
      if (number > 0) {
        step = begin(number);
        running = step.start(c.fill(Float.NaN).rows(0, step.rows()));
      }
    }

    void finish(int number) {
      running.await();
      Exact.checkProduct(c.rows(0, step.rows()), number, 7, K);
      step.close();
    }

    @Override
    public void close() {
      operator.close();
      space.close();
      arena.close();
    }
  }
}
