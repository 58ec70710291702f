// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.plan.Domains;
import io.github.gemmflow.plan.Schedule;
import io.github.gemmflow.window.Counters;
import java.lang.foreign.MemorySegment;

/**
 * What lies where in a workspace's window: counters, headers, and room for the rows of two steps,
 * each as one matrix without gaps.
 */
public final class Space {
  /** A step is written while slow readers may still read the one before it. */
  static final int SLOTS = 2;

  private static final long PAGE = 4096;

  private final MemorySegment memory;
  private final long rowsOffset;
  private final long slotBytes;
  private final Counters arrivals;
  private final Headers headers;
  private final SlotRing ring;
  private final Pulses pulses;

  /**
   * The contents of a window of {@link #bytes} bytes.
   *
   * @param domain the domain that the window belongs to
   * @param slotBytes the most bytes of rows that a step has
   */
  public Space(MemorySegment memory, Domains domains, int domain, long slotBytes) {
    int ranks = domains.ranks();
    int routes = routes(ranks);
    this.memory = memory;
    this.slotBytes = slotBytes;
    this.arrivals = new Counters(memory, 0);
    int readers = readers(domains, domain);
    this.headers = new Headers(memory, headersOffset(domains, domain), ranks, arrivals, routes);
    this.ring = new SlotRing(arrivals, routes + ranks, readers, SLOTS);
    this.pulses = new Pulses(arrivals, routes + ranks + readers, readers);
    this.rowsOffset = rowsOffset(domains, domain);
  }

  /** The bytes that a window needs. */
  public static long bytes(Domains domains, int domain, long slotBytes) {
    return Math.addExact(
        rowsOffset(domains, domain), Math.multiplyExact(SLOTS, Math.addExact(slotBytes, PAGE)));
  }

  private static long rowsOffset(Domains domains, int domain) {
    return roundUp(headersOffset(domains, domain) + Headers.bytes(domains.ranks()));
  }

  /** Behind a counter for each route, for each rank's headers, and two for each reader. */
  private static long headersOffset(Domains domains, int domain) {
    int ranks = domains.ranks();
    return Counters.bytes(routes(ranks) + ranks + 2 * readers(domains, domain));
  }

  private static long roundUp(long bytes) {
    return Math.ceilDiv(bytes, PAGE) * PAGE;
  }

  private static int routes(int ranks) {
    return ranks * Schedule.MAX_PARTS;
  }

  /**
   * Each rank of the domain reads with its compute lane and, if there are others, its comm lane.
   */
  private static int readers(Domains domains, int domain) {
    return domains.size(domain) * (domains.count() > 1 ? 2 : 1);
  }

  /** Points a block at rows of A in a step: without gaps between them. */
  Block rows(Block block, OpenStep step, long from, long to) {
    long rowBytes = step.plan().plan().problem().rowBytes();
    long offset = rowsOffset + step.slot() * roundUp(slotBytes) + from * rowBytes;
    return block.at(memory, offset, to - from, rowBytes, rowBytes);
  }

  /** How many chunks of each route have arrived, over all steps. */
  Counters arrivals() {
    return arrivals;
  }

  Headers headers() {
    return headers;
  }

  /**
   * The steps' slots; the compute lanes of the domain are its first readers, then its comm lanes.
   */
  SlotRing ring() {
    return ring;
  }

  /** What the lanes of this host do, by reader. */
  Pulses pulses() {
    return pulses;
  }
}
