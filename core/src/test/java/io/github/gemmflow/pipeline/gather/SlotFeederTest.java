// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.gather;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kit.Plans;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.pipeline.step.HeaderCheck;
import io.github.gemmflow.pipeline.step.HostMemory;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.pipeline.step.StepWindow;
import io.github.gemmflow.plan.GatherLayout;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** Rank 0, whose rows are read by rank 1 on its host; chunks of two rows, slots for two of them. */
class SlotFeederTest {
  private static final int ROW_BYTES = 8;

  private static SlotFeeder feeder(GatherMemory memory, Hosts hosts) {
    HostMemory host = new HostMemory(hosts, 0);
    HostPeers peers = host.rank(0);
    HeaderCheck headers = new HeaderCheck(peers, host.headers());
    Arrivals arrivals = new Arrivals(peers, memory.window(), headers, host.news());
    return new SlotFeeder(peers, memory.window(), arrivals);
  }

  private static GatherMemory memory(Storage storage, Hosts hosts) {
    Tuning tuning = Tuning.DEFAULT.withChunkRows(2).withSlots(2).withStorage(storage);
    return new GatherMemory(Plans.alongRows(ROW_BYTES, 100, hosts, tuning), 0);
  }

  private static long arrived(GatherMemory memory, GatherStep step) {
    int route = step.layout().route(0, 0);
    return memory.window().arrivals().get(route) - step.firstChunk(route);
  }

  @Test
  void chunksAreFedWhileThereIsRoom() {
    Hosts hosts = Hosts.of(0, 0, 1);
    GatherMemory memory = memory(Storage.STREAMED, hosts);
    SlotFeeder feeder = feeder(memory, hosts);
    GatherStep step = memory.begin(1, 5, 0, 0);
    GatherLayout layout = step.layout();
    step.storage().reserve(step, 5);
    Block own = step.storage().input(new Block(), step);
    own.memory().asSlice(own.offset(), own.bytes()).fill((byte) 7);
    feeder.start(step);
    assertTrue(step.isWritten());
    int route = layout.route(0, 0);
    int band = layout.band(route);
    for (long chunk = 0; chunk < 2; chunk++) {
      assertFalse(feeder.isDone(step));
      assertEquals(0, feeder.take(step));
      assertEquals(SlotFeeder.NONE, feeder.take(step), "one at a time");
      assertEquals(chunk, arrived(memory, step));
      feeder.feed(step, 0);
      assertEquals(chunk + 1, arrived(memory, step));
      feeder.done(0);
      Block slot = step.storage().received(new Block(), step, route, chunk);
      assertEquals(7, slot.memory().get(ValueLayout.JAVA_BYTE, slot.offset()));
    }
    assertEquals(SlotFeeder.NONE, feeder.take(step), "the third needs the slot of the first");
    long room = feeder.room(step);
    for (int reader = 0; reader < StepWindow.readers(hosts, 0); reader++) {
      assertTrue(memory.window().slots(band).pass(reader, step.use(band), step.use(band) + 1));
    }
    assertTrue(feeder.room(step) > room);
    assertEquals(0, feeder.take(step));
    feeder.feed(step, 0);
    feeder.done(0);
    assertTrue(feeder.isDone(step));
    assertEquals(SlotFeeder.NONE, feeder.take(step));
  }

  @Test
  void rowsThatNobodyHereReadsAreNotFed() {
    Hosts hosts = Hosts.of(0, 1);
    GatherMemory memory = memory(Storage.STREAMED, hosts);
    SlotFeeder feeder = feeder(memory, hosts);
    GatherStep step = memory.begin(1, 5, 0);
    feeder.start(step);
    assertTrue(feeder.isDone(step));
    assertEquals(3, arrived(memory, step), "they are there at once, in memory of its own");
  }

  @Test
  void gatheredRowsAreThereAtOnce() {
    Hosts hosts = Hosts.of(0, 0, 1);
    GatherMemory memory = memory(Storage.GATHERED, hosts);
    SlotFeeder feeder = feeder(memory, hosts);
    GatherStep step = memory.begin(1, 5, 0, 0);
    feeder.start(step);
    assertTrue(feeder.isDone(step));
    assertEquals(3, arrived(memory, step));
  }
}
