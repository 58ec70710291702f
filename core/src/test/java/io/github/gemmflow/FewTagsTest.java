// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.kit.ForwardingEngine;
import io.github.gemmflow.matrix.Block;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Workspaces on an engine that has tags for three of them. */
class FewTagsTest {
  /** Two for each of two ranks and each of two steps, and one for headers. */
  private static final int TAGS = 9;

  private static final int MOST_TAG = 3 * TAGS;

  @AfterEach
  void nothingIsLeft() {
    Leftovers.assertNone();
  }

  private static LocalWorld world(int mostTag) {
    return LocalWorld.onHosts(0, 1).decorate(engine -> new FewTags(engine, mostTag));
  }

  private static Workspace open(World world) {
    return Workspace.on(world.group()).rows(6).columns(4).open();
  }

  private static void gather(Workspace space, int seed) {
    try (AllGather gather = AllGather.on(space).columns(4).build();
        Step step = gather.begin(RowCounts.known(3, 3))) {
      Exact.fill(step.input(), seed, step.firstRow());
      step.run();
      Exact.check(step.gathered(), seed);
    }
  }

  @Test
  void tagsAreUsedAgain() {
    world(MOST_TAG)
        .run(
            world -> {
              for (int i = 0; i < 10; i++) {
                try (Workspace space = open(world);
                    Workspace second = open(world)) {
                  gather(space, i);
                  gather(second, i + 100);
                }
              }
            });
  }

  @Test
  void tagsInUseAreNotGivenAway() {
    world(MOST_TAG)
        .run(
            world -> {
              try (Workspace first = open(world)) {
                open(world).close();
                open(world).close();
                String message = assertThrows(RuntimeException.class, () -> open(world)).toString();
                assertTrue(
                    message.contains("opened 3 workspaces ago is still open")
                        && message.contains("close it first"),
                    message);
                gather(first, 1);
              }
              try (Workspace space = open(world)) {
                gather(space, 2);
              }
            });
  }

  @Test
  void anEngineWithTooFewTagsIsRefused() {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> world(TAGS - 1).run(world -> assertEquals(0, open(world).group().rank())));
    assertEquals(
        "a workspace of 2 ranks needs 9 tags, and the engine has 8 for them: make smaller groups",
        e.getMessage());
  }

  /** Engine with few tags that takes no others. */
  private static final class FewTags extends ForwardingEngine {
    private final int most;

    FewTags(Engine engine, int most) {
      super(engine);
      this.most = most;
    }

    @Override
    protected Channel decorate(Channel channel) {
      return new ForwardingChannel(channel) {
        @Override
        public int mostTag() {
          return most;
        }

        @Override
        public int send(int target, int tag, Block block, boolean synchronous) {
          assertTrue(tag <= most, () -> "tag " + tag);
          return super.send(target, tag, block, synchronous);
        }
      };
    }
  }
}
