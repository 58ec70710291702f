// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.engine.local;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.kit.Chaos;
import io.github.gemmflow.kit.ChaosEngine;
import io.github.gemmflow.kit.EngineContract;
import io.github.gemmflow.matrix.Block;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** An engine with delays keeps every promise; one that stalls or is lost keeps none for a while. */
class ChaosEngineTest extends EngineContract {
  @Override
  protected void onEveryRank(Program program) throws Exception {
    LocalEngineTest.run(engine -> new ChaosEngine(engine, Chaos.delays(5)), program);
  }

  private static final Block NOTHING = new Block().at(MemorySegment.NULL, 0, 0, 0, 0);

  @Test
  void completionsOvertakeOneAnother() {
    LocalFabric fabric = new LocalFabric(0, 0);
    Chaos chaos = Chaos.none(3).delayedBy(Duration.ofMillis(5), 0);
    Engine engine = new ChaosEngine(fabric.engine(0), chaos);
    Channel channel = engine.world();
    boolean overtaken = false;
    for (int i = 0; i < 100 && !overtaken; i++) {
      int first = channel.send(1, 0, NOTHING, false);
      int second = channel.send(1, 0, NOTHING, false);
      boolean firstDone = false;
      boolean secondDone = false;
      while (!firstDone || !secondDone) {
        firstDone = firstDone || channel.isDone(first);
        secondDone = secondDone || channel.isDone(second);
        overtaken |= secondDone && !firstDone;
      }
    }
    assertTrue(overtaken, "in a hundred pairs no second completion came first");
  }

  @Test
  void aThreadLosesItsCoreInAnyCall() {
    LocalFabric fabric = new LocalFabric(0, 0);
    Duration longest = Duration.ofMillis(20);
    Engine engine = new ChaosEngine(fabric.engine(0), Chaos.none(1).threadStalls(1, longest));
    long start = System.nanoTime();
    int request = engine.world().send(1, 0, NOTHING, false);
    while (!engine.world().isDone(request)) {
      engine.progress();
    }
    for (int i = 0; i < 10; i++) {
      engine.progress();
    }
    // Twelve stalls, of 120 ms together on average.
    assertTrue(System.nanoTime() - start > longest.toNanos());
  }

  @Test
  void aStalledEngineGoesOnAndALostOneDoesNot() {
    LocalFabric fabric = new LocalFabric(0, 0);
    Duration stall = Duration.ofMillis(50);
    Chaos calm = Chaos.none(1);
    Engine stalled = new ChaosEngine(fabric.engine(0), calm.stalledAfter(1, stall));
    long start = System.nanoTime();
    int request = stalled.world().send(1, 0, NOTHING, false);
    assertTrue(stalled.world().isDone(request));
    request = stalled.world().send(1, 0, NOTHING, false);
    while (!stalled.world().isDone(request)) {
      stalled.progress();
    }
    assertTrue(System.nanoTime() - start >= stall.toNanos());

    Engine lost = new ChaosEngine(fabric.engine(1), calm.lostAfter(0));
    request = lost.world().send(0, 0, NOTHING, false);
    for (int i = 0; i < 1000; i++) {
      lost.progress();
      assertFalse(lost.world().isDone(request));
    }
  }
}
