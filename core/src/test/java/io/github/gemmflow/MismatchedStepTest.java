// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.failure.BrokenException;
import io.github.gemmflow.failure.DisagreementException;
import io.github.gemmflow.failure.GemmflowException;
import io.github.gemmflow.kit.ForwardingEngine;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.pipeline.step.StepHeaders;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * Ranks that do different things in a step are told, although none of them waits for another in
 * that step.
 */
class MismatchedStepTest {
  private static final int ROWS = 3;
  private static final int COLUMNS = 4;

  /** Enough for one of them to have its rows in time to travel with their header. */
  private static final int STEPS = 1000;

  /** In a last step, which no other follows. */
  @Test
  void aMismatchIsFoundWhenTheWorkspaceCloses() {
    afterAMismatch((space, gather) -> assertDisagree(space::close));
  }

  /** In a step whose buffer is needed again, although no rank had to look at the other's header. */
  @Test
  void aMismatchIsFoundTwoStepsLater() {
    afterAMismatch(
        (space, gather) ->
            assertDisagree(
                () -> {
                  RowCounts none = RowCounts.known(0, 0);
                  try (Step step = gather.begin(none)) {
                    step.run();
                  }
                  gather.begin(none);
                }));
  }

  /** Goes on when the ranks have run different operators, and the headers that say so are there. */
  private static void afterAMismatch(BiConsumer<Workspace, AllGather> then) {
    CountDownLatch ran = new CountDownLatch(2);
    CountDownLatch here = new CountDownLatch(2);
    LocalWorld.onHosts(0, 1)
        .config(Config.builder().deadline(Duration.ofSeconds(20)).build())
        .decorate(engine -> new LateHeaders(engine, ran, here))
        .run(
            world -> {
              Workspace space = Workspace.on(world.group()).rows(ROWS).columns(COLUMNS).open();
              AllGather first = AllGather.on(space).columns(COLUMNS).build();
              AllGather second = AllGather.on(space).columns(COLUMNS - 1).build();
              // All rows are this rank's own, as far as it knows.
              RowCounts own =
                  world.rank() == 0 ? RowCounts.known(ROWS, 0) : RowCounts.known(0, ROWS);
              try (Step step = (world.rank() == 0 ? first : second).begin(own)) {
                step.input().fill(1);
                step.run();
              }
              ran.countDown();
              await(here);
              then.accept(space, first);
            });
  }

  /** A rank finds out, or is told by the other one, which was faster and has ended the job. */
  private static void assertDisagree(Executable call) {
    GemmflowException e = assertThrows(GemmflowException.class, call);
    assertTrue(e instanceof DisagreementException || e instanceof BrokenException, e::toString);
    // Headers explain what is wrong, unless they are kept back for longer than rows wait for them.
    boolean isExplained = e.toString().contains("step 0: operator: rank");
    assertTrue(isExplained || e.toString().contains("sent an unexpected message"), e::toString);
  }

  /** A rank that asks the others for their rows is not told those of another operator. */
  @Test
  void rowsOfAnotherOperatorAreNotCounted() {
    LocalWorld.onHosts(0, 1)
        .config(Config.builder().deadline(Duration.ofSeconds(20)).build())
        .run(
            world -> {
              Workspace space = Workspace.on(world.group()).rows(2 * ROWS).columns(COLUMNS).open();
              AllGather first = AllGather.on(space).columns(COLUMNS).build();
              AllGather second = AllGather.on(space).columns(COLUMNS - 1).build();
              AllGather mine = world.rank() == 0 ? first : second;
              assertDisagree(() -> mine.begin(RowCounts.mine(ROWS)));
            });
  }

  /** Rank 1 writes its rows where rank 0 has its own, after that has looked at all headers. */
  @Test
  void rowsThatANeighbourHasWrittenOverAreNoResult() {
    CountDownLatch working = new CountDownLatch(1);
    CountDownLatch written = new CountDownLatch(1);
    LocalWorld.onHosts(0, 0)
        .config(Config.builder().deadline(Duration.ofSeconds(20)).build())
        .run(
            world -> {
              Workspace space = Workspace.on(world.group()).rows(ROWS).columns(COLUMNS).open();
              AllGather gather = AllGather.on(space).build();
              Executable mine =
                  world.rank() == 0
                      ? () -> runWhileOthersWrite(gather, working, written)
                      : () -> writeWhileOthersRun(gather, working, written);
              GemmflowException e = assertThrows(GemmflowException.class, mine);
              assertTrue(e.toString().contains("step 0: rows of rank"), e::toString);
            });
  }

  private static void runWhileOthersWrite(
      AllGather gather, CountDownLatch working, CountDownLatch written) {
    try (Step step = gather.begin(RowCounts.known(ROWS, 0))) {
      step.input().fill(1);
      step.run(
          (first, end, rows, thread) -> {
            working.countDown();
            await(written);
          });
    }
  }

  private static void writeWhileOthersRun(
      AllGather gather, CountDownLatch working, CountDownLatch written) {
    await(working);
    try (Step step = gather.begin(RowCounts.known(0, ROWS))) {
      step.input().fill(2);
      written.countDown();
      step.run();
    }
  }

  /** Headers that agree explain nothing, so the message itself is what is wrong. */
  @Test
  void rowsOfAnotherLengthThanTheHeaderSaysAreRefused() {
    Throwable[] thrown = new Throwable[2];
    LocalWorld.onHosts(0, 1)
        .config(Config.builder().deadline(Duration.ofSeconds(20)).build())
        .decorate(engine -> engine.rank() == 1 ? new LongCargo(engine) : engine)
        .run(
            world -> {
              try (Workspace space =
                      Workspace.on(world.group()).rows(ROWS).columns(COLUMNS).open();
                  AllGather gather = AllGather.on(space).build()) {
                // Rows that are late travel alone, so not every step has what is to be found.
                for (int i = 0; i < STEPS; i++) {
                  try (Step step = gather.begin(RowCounts.known(1, 2))) {
                    step.input().fill(1);
                    step.run();
                  }
                }
              } catch (GemmflowException e) {
                thrown[world.rank()] = e;
              }
            });
    String message = String.valueOf(thrown[0]);
    assertTrue(message.contains("rank 1 sent an unexpected message"), message);
    assertTrue(message.contains("33 bytes instead of 32"), message);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(20, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Engine whose headers arrive when all ranks have run their step. */
  private static final class LateHeaders extends ForwardingEngine {
    private final CountDownLatch ran;
    private final CountDownLatch here;
    private boolean arrived;

    LateHeaders(Engine engine, CountDownLatch ran, CountDownLatch here) {
      super(engine);
      this.ran = ran;
      this.here = here;
    }

    /** What has arrived was published before the thread that polls comes here again. */
    @Override
    public int progress() {
      if (arrived) {
        arrived = false;
        here.countDown();
      }
      return super.progress();
    }

    @Override
    protected Channel decorate(Channel channel) {
      Set<Integer> headers = ConcurrentHashMap.newKeySet();
      return new ForwardingChannel(channel) {
        @Override
        public int receiveUpTo(int source, int tag, Block block) {
          int request = super.receiveUpTo(source, tag, block);
          headers.add(request);
          return request;
        }

        @Override
        public boolean isDone(int request) {
          boolean isHeader = headers.contains(request);
          if ((isHeader && ran.getCount() > 0) || !super.isDone(request)) {
            return false;
          }
          headers.remove(request);
          arrived |= isHeader;
          return true;
        }
      };
    }
  }

  /** Engine whose headers say that one byte more follows them than does. */
  private static final class LongCargo extends ForwardingEngine {
    /** Where a header has that number. */
    private static final long CARGO = 3 * Long.BYTES;

    LongCargo(Engine engine) {
      super(engine);
    }

    @Override
    protected Channel decorate(Channel channel) {
      return new ForwardingChannel(channel) {
        @Override
        public int send(int target, int tag, Block block, boolean synchronous) {
          if (block.rows() == 1 && block.bytes() > StepHeaders.BYTES) {
            long at = block.offset() + CARGO;
            long cargo = block.memory().get(ValueLayout.JAVA_LONG, at);
            block.memory().set(ValueLayout.JAVA_LONG, at, cargo + 1);
          }
          return super.send(target, tag, block, synchronous);
        }
      };
    }
  }
}
