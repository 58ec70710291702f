// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.gather;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.pipeline.step.SlotRing;
import io.github.gemmflow.pipeline.step.StepWindow;
import io.github.gemmflow.pipeline.step.WindowCursor;
import io.github.gemmflow.plan.Capacity;
import io.github.gemmflow.plan.GatherLayout;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.window.Counters;
import java.lang.foreign.MemorySegment;

/**
 * Second part of a workspace's window, for steps that gather.
 *
 * <pre>
 * counters   chunks arrived, one per route
 *            slots passed, one per reader, of each band
 * rows       two buffers: all rows of a gathered step as one matrix without gaps
 * slots      of each band: rows of streamed steps
 * </pre>
 */
public final class GatherWindow {
  private final MemorySegment memory;
  private final Capacity capacity;
  private final Offsets offsets;
  private final Counters arrivals;
  private final SlotRing[] slots;

  /** Where the regions start. */
  private record Offsets(long counters, long rows, long slots) {
    static Offsets of(WindowCursor cursor, Hosts hosts, int host, Capacity capacity) {
      int ranks = hosts.ranks();
      int rings = slotRings(ranks, capacity);
      int counters = routes(ranks) + rings * StepWindow.readers(hosts, host);
      long slots = Math.multiplyExact(rings, (long) capacity.slots());
      return new Offsets(
          cursor.take(Counters.bytes(counters), WindowCursor.PAGE),
          cursor.take(
              Math.multiplyExact(StepWindow.STEPS, bufferBytes(capacity)), WindowCursor.PAGE),
          cursor.take(Math.multiplyExact(slots, slotStride(capacity)), WindowCursor.PAGE));
    }
  }

  /**
   * The rest of a window.
   *
   * @param cursor where it starts
   * @param host the host that the window belongs to
   */
  public GatherWindow(
      MemorySegment memory, WindowCursor cursor, Hosts hosts, int host, Capacity capacity) {
    this.memory = memory;
    this.capacity = capacity;
    this.offsets = Offsets.of(cursor, hosts, host, capacity);
    this.arrivals = new Counters(memory, offsets.counters);
    this.slots = new SlotRing[slotRings(hosts.ranks(), capacity)];
    int readers = StepWindow.readers(hosts, host);
    for (int band = 0; band < slots.length; band++) {
      int firstCounter = routes(hosts.ranks()) + band * readers;
      slots[band] = new SlotRing(arrivals, firstCounter, readers, capacity.slots());
    }
  }

  /** Moves a cursor over what a window needs for this. */
  public static void skip(WindowCursor cursor, Hosts hosts, int host, Capacity capacity) {
    Offsets.of(cursor, hosts, host, capacity);
  }

  /** The most routes that a step may have. */
  public static int routes(int ranks) {
    return ranks * Schedule.MAX_PARTS;
  }

  private static int slotRings(int ranks, Capacity capacity) {
    return capacity.slots() == 0 ? 0 : routes(ranks);
  }

  private static long bufferBytes(Capacity capacity) {
    return WindowCursor.roundUp(capacity.gatheredBytes(), WindowCursor.PAGE);
  }

  private static long slotStride(Capacity capacity) {
    return WindowCursor.roundUp(capacity.slotBytes(), WindowCursor.LINE);
  }

  /** Points a block at rows of A in a gathered step: without gaps between them. */
  public Block rows(Block block, GatherStep step, long from, long to) {
    long rowBytes = step.layout().plan().problem().rowBytes();
    long offset = offsets.rows + step.buffer() * bufferBytes(capacity) + from * rowBytes;
    return block.at(memory, offset, to - from, rowBytes, rowBytes);
  }

  /** Points a block at rows of A in a streamed step, all of them in one slot of a band. */
  public Block slotRows(Block block, GatherStep step, int band, long from, long to) {
    GatherLayout layout = step.layout();
    long rowBytes = layout.plan().problem().rowBytes();
    long slot = layout.slot(band, layout.bandChunk(band, from));
    int place = slots[band].slot(step.use(band) + slot);
    long offset =
        offsets.slots
            + ((long) band * capacity.slots() + place) * slotStride(capacity)
            + (from - layout.slotBegin(band, slot)) * rowBytes;
    return block.at(memory, offset, to - from, rowBytes, rowBytes);
  }

  /** How many chunks of each route have arrived, over all steps. */
  public Counters arrivals() {
    return arrivals;
  }

  /** The slots of a band's rows in streamed steps, with the readers of steps. */
  public SlotRing slots(int band) {
    return slots[band];
  }
}
