// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Exchange;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.plan.SumLayout;
import io.github.gemmflow.plan.SumPlan;
import io.github.gemmflow.plan.SumProblem;
import io.github.gemmflow.plan.Transfers;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Tuning;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StreamProgressTest {
  private static final int IN_FLIGHT = 2;

  private final Requests channel = new Requests();
  private final StreamProgress sends = new StreamProgress();

  /** Rank 0 sends four rows to rank 1, each a chunk of its own. */
  @BeforeEach
  void reset() {
    Tuning tuning = Tuning.DEFAULT.withChunkRows(1).withInFlight(IN_FLIGHT);
    SumLayout layout = SumPlan.of(new SumProblem(1, 4, true, 4), Hosts.of(0, 1), tuning).step();
    layout.lay(new long[] {0, 4});
    Transfers transfers = new Transfers(0);
    transfers.fill(layout);
    sends.reset(transfers.sends(), layout);
    sends.available(0, 4);
  }

  /** Requests that are done when a test says so. */
  private static final class Requests implements Channel {
    private final Set<Integer> done = new HashSet<>();
    private final Set<Integer> cancelled = new HashSet<>();
    private boolean clean = true;

    @Override
    public int rank() {
      return 0;
    }

    @Override
    public int size() {
      return 2;
    }

    @Override
    public int mostTag() {
      return 0;
    }

    @Override
    public int send(int target, int tag, Block block, boolean synchronous) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int receive(int source, int tag, Block block) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int receiveUpTo(int source, int tag, Block block) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean isDone(int request) {
      return done.remove(request);
    }

    @Override
    public Exchange allGather(byte[] mine) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean cancel(int request) {
      cancelled.add(request);
      return clean;
    }
  }

  @Test
  void noMoreThanTheLimitIsUnderWay() {
    assertEquals(1, sends.count());
    assertEquals(0, sends.next(0));
    sends.start(0, 10);
    sends.start(0, 11);
    assertEquals(-1, sends.next(0));
    assertFalse(sends.isAllStarted(), "two chunks are left");
    assertEquals(2, sends.underWay());
    channel.done.add(10);
    assertEquals(1, sends.finish(channel));
    assertEquals(0, sends.next(0));
  }

  @Test
  void onlyACompletePrefixCounts() {
    sends.start(0, 10);
    sends.start(0, 11);
    channel.done.add(11);
    assertEquals(0, sends.finish(channel));
    assertEquals(0, sends.finished(0));
    channel.done.add(10);
    assertEquals(2, sends.finish(channel));
    assertEquals(2, sends.finished(0));
    assertTrue(sends.isIdle());
  }

  /** The place of a request is used again when its chunk is finished. */
  @Test
  void requestsOfLaterChunksTakeThePlacesOfEarlierOnes() {
    for (int chunk = 0; chunk < 4; chunk++) {
      sends.start(0, 10 + chunk);
      channel.done.add(10 + chunk);
      assertEquals(1, sends.finish(channel));
    }
    assertEquals(-1, sends.next(0), "all are sent");
    assertTrue(sends.isAllStarted());
  }

  @Test
  void cancellingSaysWhetherMemoryIsFreeForCertain() {
    sends.start(0, 10);
    sends.start(0, 11);
    channel.clean = false;
    assertFalse(sends.cancel(channel));
    assertEquals(Set.of(10, 11), channel.cancelled);
    assertTrue(sends.cancel(channel), "nothing is left");
    assertTrue(sends.isIdle());
  }

  @Test
  void whatTravelsWithOthersIsDone() {
    assertTrue(sends.isLeft(0));
    sends.complete(0);
    assertFalse(sends.isLeft(0));
    assertTrue(sends.isAllStarted() && sends.isIdle());
    assertEquals(4, sends.finished(0));
  }
}
