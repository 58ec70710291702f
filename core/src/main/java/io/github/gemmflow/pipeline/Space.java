// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.plan.Capacity;
import io.github.gemmflow.plan.Domains;
import io.github.gemmflow.plan.Schedule;
import io.github.gemmflow.plan.StepPlan;
import io.github.gemmflow.window.Counters;
import java.lang.foreign.MemorySegment;

/**
 * What lies where in a workspace's window: counters, headers, room for the rows of two gathered
 * steps, each as one matrix without gaps, and slots for streamed ones.
 */
public final class Space {
  /** A step is written while slow readers may still read the one before it. */
  static final int STEPS = 2;

  private static final long PAGE = 4096;

  /** Slots start at multiples of a cache line, which is also the widest vector register. */
  private static final long LINE = 64;

  private final MemorySegment memory;
  private final Capacity capacity;
  private final long rowsOffset;
  private final long slotsOffset;
  private final Counters arrivals;
  private final Headers headers;
  private final SlotRing steps;
  private final Pulses pulses;
  private final SlotRing[] slots;

  /**
   * The contents of a window of {@link #bytes} bytes.
   *
   * @param domain the domain that the window belongs to
   */
  public Space(MemorySegment memory, Domains domains, int domain, Capacity capacity) {
    int ranks = domains.ranks();
    int routes = routes(ranks);
    int readers = readers(domains, domain);
    this.memory = memory;
    this.capacity = capacity;
    this.arrivals = new Counters(memory, 0);
    this.headers =
        new Headers(memory, headersOffset(domains, domain, capacity), ranks, arrivals, routes);
    int next = routes + ranks;
    this.steps = new SlotRing(arrivals, next, readers, STEPS);
    next += readers;
    this.pulses = new Pulses(arrivals, next, readers);
    next += readers;
    this.slots = new SlotRing[slotRings(ranks, capacity)];
    for (int band = 0; band < slots.length; band++, next += readers) {
      slots[band] = new SlotRing(arrivals, next, readers, capacity.slots());
    }
    this.rowsOffset = rowsOffset(domains, domain, capacity);
    this.slotsOffset = rowsOffset + STEPS * roundUp(capacity.gatheredBytes(), PAGE);
  }

  /** The bytes that a window needs. */
  public static long bytes(Domains domains, int domain, Capacity capacity) {
    long stepBytes = roundUp(capacity.gatheredBytes(), PAGE);
    long slots = Math.multiplyExact(slotRings(domains.ranks(), capacity), (long) capacity.slots());
    return Math.addExact(
        Math.addExact(rowsOffset(domains, domain, capacity), Math.multiplyExact(STEPS, stepBytes)),
        Math.multiplyExact(slots, slotStride(capacity)));
  }

  private static long rowsOffset(Domains domains, int domain, Capacity capacity) {
    long end = headersOffset(domains, domain, capacity) + Headers.bytes(domains.ranks());
    return roundUp(end, PAGE);
  }

  /**
   * Behind a counter for each route, for each rank's headers, and for each reader one for steps,
   * one for signs of life and one for each ring of slots.
   */
  private static long headersOffset(Domains domains, int domain, Capacity capacity) {
    int ranks = domains.ranks();
    int rings = 2 + slotRings(ranks, capacity);
    return Counters.bytes(routes(ranks) + ranks + rings * readers(domains, domain));
  }

  private static long roundUp(long bytes, long unit) {
    return Math.multiplyExact(Math.ceilDiv(bytes, unit), unit);
  }

  private static int routes(int ranks) {
    return ranks * Schedule.MAX_PARTS;
  }

  private static int slotRings(int ranks, Capacity capacity) {
    return capacity.slots() == 0 ? 0 : routes(ranks);
  }

  private static long slotStride(Capacity capacity) {
    return roundUp(capacity.slotBytes(), LINE);
  }

  /**
   * Each rank of the domain reads with its compute lane and, if there are others, its comm lane.
   */
  private static int readers(Domains domains, int domain) {
    return domains.size(domain) * (domains.count() > 1 ? 2 : 1);
  }

  /** Points a block at rows of A in a gathered step: without gaps between them. */
  Block rows(Block block, OpenStep step, long from, long to) {
    long rowBytes = step.plan().plan().problem().rowBytes();
    long offset =
        rowsOffset + step.room() * roundUp(capacity.gatheredBytes(), PAGE) + from * rowBytes;
    return block.at(memory, offset, to - from, rowBytes, rowBytes);
  }

  /** Points a block at rows of A in a streamed step, all of them in one chunk of a band. */
  Block slotRows(Block block, OpenStep step, int band, long from, long to) {
    StepPlan plan = step.plan();
    long rowBytes = plan.plan().problem().rowBytes();
    long chunk = plan.bandChunk(band, from);
    int slot = slots[band].slot(step.use(band) + chunk);
    long offset =
        slotsOffset
            + ((long) band * capacity.slots() + slot) * slotStride(capacity)
            + (from - plan.bandChunkBegin(band, chunk)) * rowBytes;
    return block.at(memory, offset, to - from, rowBytes, rowBytes);
  }

  /** Points a block at the place of a chunk: only the columns that its route brings. */
  Block chunk(Block block, OpenStep step, int route, long chunk) {
    StepPlan plan = step.plan();
    long from = plan.chunkBegin(route, chunk);
    long to = plan.chunkBegin(route, chunk + 1);
    if (plan.plan().isStreamed()) {
      slotRows(block, step, plan.band(route), from, to);
    } else {
      rows(block, step, from, to);
    }
    return block.columns(plan.columnOffset(route), plan.columnBytes(route));
  }

  /** How many chunks of each route have arrived, over all steps. */
  Counters arrivals() {
    return arrivals;
  }

  Headers headers() {
    return headers;
  }

  /**
   * The room for steps, gathered or not; the compute lanes of the domain are its first readers,
   * then its comm lanes.
   */
  SlotRing steps() {
    return steps;
  }

  /** The slots of a band's chunks in streamed steps, with the same readers. */
  SlotRing slots(int band) {
    return slots[band];
  }

  /** What the lanes of this host do, by reader. */
  Pulses pulses() {
    return pulses;
  }
}
