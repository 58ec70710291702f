// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.kit.ForwardingEngine;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A small step between hosts takes one message from each rank to each other host. */
class SmallStepTest {
  private static final int STEPS = 100;
  private static final int K = 64;

  /** Counts messages, and those that wait for their receiver. */
  private static final class Counting extends ForwardingEngine {
    private final AtomicInteger messages;
    private final boolean announcing;

    Counting(Engine engine, AtomicInteger messages, boolean announcing) {
      super(engine);
      this.messages = messages;
      this.announcing = announcing;
    }

    @Override
    public boolean announces() {
      return announcing;
    }

    @Override
    protected Channel decorate(Channel channel) {
      return new ForwardingChannel(channel) {
        @Override
        public int send(int target, int tag, Block block, boolean synchronous) {
          assertFalse(synchronous, "nobody waits for a receiver that has room");
          messages.incrementAndGet();
          return super.send(target, tag, block, synchronous);
        }
      };
    }
  }

  /** How many messages all ranks together send in some gathers, whose results are exact. */
  private static int messagesOfGathers(int rows, boolean announcing, int... hosts) {
    AtomicInteger messages = new AtomicInteger();
    LocalWorld.onHosts(hosts)
        .decorate(engine -> new Counting(engine, messages, announcing))
        .run(
            world -> {
              int ranks = world.size();
              try (Arena arena = Arena.ofShared();
                  Workspace space =
                      Workspace.on(world.group()).rows((long) rows * ranks).columns(K).open();
                  AllGather gather = AllGather.on(space).build()) {
                Matrix mine = Matrix.allocate(DType.F32, rows, K, arena);
                Matrix all = Matrix.allocate(DType.F32, (long) rows * ranks, K, arena);
                RowCounts counts = RowCounts.equal(ranks, rows);
                for (int step = 0; step < STEPS; step++) {
                  Exact.fill(mine, step, (long) rows * world.rank());
                  gather.run(counts, mine, all.fill(Float.NaN));
                  Exact.check(all, step);
                }
              }
            });
    return messages.get();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void rowsTravelWithTheHeader(boolean announcing) {
    assertFew(2 * STEPS, messagesOfGathers(4, announcing, 0, 1));
    assertFew(2 * 3 * STEPS, messagesOfGathers(1, announcing, 0, 1, 2));
    assertFew(4 * STEPS, messagesOfGathers(3, announcing, 0, 0, 1, 1));
  }

  /** A header that has waited too long, because the machine was busy, goes without its rows. */
  private static void assertFew(int least, int messages) {
    assertTrue(
        messages >= least && messages < least * 3 / 2,
        () -> "%d messages instead of %d".formatted(messages, least));
  }

  @Test
  void manyRowsTravelByThemselves() {
    assertTrue(messagesOfGathers(1000, true, 0, 1) >= 2 * 2 * STEPS);
  }
}
