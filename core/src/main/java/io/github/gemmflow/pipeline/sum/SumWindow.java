// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.sum;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.pipeline.step.SlotRing;
import io.github.gemmflow.pipeline.step.StepWindow;
import io.github.gemmflow.pipeline.step.WindowCursor;
import io.github.gemmflow.plan.SumPlan;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.window.Counters;
import java.lang.foreign.MemorySegment;

/**
 * Window that summing operators of one plan share. A use of a slot is a tile's position, counted on
 * over all steps; a slot has room for the partial sums of each rank of the host.
 *
 * <pre>
 * counters   tiles computed, one per rank of the host
 *            tiles added up, one per rank of the host
 *            tiles with totals, one per rank of the host
 *            slots passed, one per reader
 *            chunks arrived, one per route into the host
 * parts      of each rank of the host: partial sums, tile by tile in a ring of slots
 * sums       two buffers: sums of other hosts, and totals
 * </pre>
 */
final class SumWindow {
  private final SumPlan plan;
  private final Hosts hosts;
  private final int host;
  private final MemorySegment memory;
  private final Offsets offsets;
  private final long rowsFromEach;
  private final long sumBytes;
  private final long bufferBytes;
  private final Counters counters;
  private final SlotRing slots;

  /** Where the regions start. */
  private record Offsets(long counters, long parts, long sums) {
    static Offsets of(WindowCursor cursor, SumPlan plan, int host) {
      return new Offsets(
          cursor.take(Counters.bytes(SumWindow.counters(plan, host)), WindowCursor.PAGE),
          cursor.take(
              Math.multiplyExact(plan.hosts().size(host), partBytes(plan)), WindowCursor.PAGE),
          cursor.take(
              Math.multiplyExact(StepWindow.STEPS, bufferBytes(plan, host)), WindowCursor.PAGE));
    }
  }

  /**
   * The contents of a window of {@link #bytes} bytes.
   *
   * @param host the host that the window belongs to
   */
  SumWindow(SumPlan plan, int host, MemorySegment memory) {
    this.plan = plan;
    this.hosts = plan.hosts();
    this.host = host;
    this.memory = memory;
    this.offsets = Offsets.of(new WindowCursor(), plan, host);
    this.rowsFromEach = plan.mostRowsFromEach(host);
    this.sumBytes = sumBytes(plan, host);
    this.bufferBytes = bufferBytes(plan, host);
    this.counters = new Counters(memory, offsets.counters);
    int readers = StepWindow.readers(hosts, host);
    this.slots = new SlotRing(counters, 3 * hosts.size(host), readers, plan.slots());
  }

  /** The bytes that a window needs. */
  static long bytes(SumPlan plan, int host) {
    WindowCursor cursor = new WindowCursor();
    Offsets.of(cursor, plan, host);
    return cursor.end();
  }

  private static int counters(SumPlan plan, int host) {
    return hostCounters(plan, host) + routes(plan, host);
  }

  /** Counters that ranks of the host publish about their own work. */
  private static int hostCounters(SumPlan plan, int host) {
    return 3 * plan.hosts().size(host) + StepWindow.readers(plan.hosts(), host);
  }

  /** Only rows for the ranks of a host come in there, unless all ranks want all rows. */
  private static int routes(SumPlan plan, int host) {
    return plan.problem().scattered()
        ? plan.hosts().count() * plan.hosts().size(host)
        : plan.routes();
  }

  private static long partBytes(SumPlan plan) {
    return WindowCursor.roundUp(
        Math.multiplyExact(plan.slots(), plan.tileBytes()), WindowCursor.PAGE);
  }

  /** The sums of all other hosts. */
  private static long sumBytes(SumPlan plan, int host) {
    long rows = Math.multiplyExact(plan.hosts().count() - 1L, plan.mostRowsFromEach(host));
    return WindowCursor.roundUp(
        Math.multiplyExact(rows, plan.problem().wireRowBytes()), WindowCursor.PAGE);
  }

  private static long bufferBytes(SumPlan plan, int host) {
    long totals = Math.multiplyExact(plan.mostTotals(), plan.problem().partialRowBytes());
    return Math.addExact(sumBytes(plan, host), WindowCursor.roundUp(totals, WindowCursor.PAGE));
  }

  SumPlan plan() {
    return plan;
  }

  int host() {
    return host;
  }

  /**
   * The slots; the compute lanes of the host are their first readers, then its communication
   * threads.
   */
  SlotRing slots() {
    return slots;
  }

  /** All partial sums of a rank of this host, slot after slot. */
  MemorySegment parts(int rank) {
    return memory.asSlice(partOffset(rank), plan.slots() * plan.tileBytes());
  }

  private long partOffset(int rank) {
    return offsets.parts + hosts.indexOf(rank) * partBytes(plan);
  }

  /**
   * Points a block at a rank's partial sums.
   *
   * @param slotRow the first row, among all of the rank's partial sums
   */
  Block part(Block block, int rank, long slotRow, long rows) {
    long rowBytes = plan.problem().partialRowBytes();
    return block.at(memory, partOffset(rank) + slotRow * rowBytes, rows, rowBytes, rowBytes);
  }

  /**
   * Points a block at sums of another host.
   *
   * @param origin the host that they come from
   * @param row the first row, among those that this host gets from there
   */
  Block received(Block block, int buffer, int origin, long row, long rows) {
    long rowBytes = plan.problem().wireRowBytes();
    int source = Math.floorMod(origin - host - 1, hosts.count());
    long first = source * rowsFromEach + row;
    long offset = bufferOffset(buffer) + first * rowBytes;
    return block.at(memory, offset, rows, rowBytes, rowBytes);
  }

  /**
   * Points a block at totals that came from other hosts.
   *
   * @param row the first row of the step
   */
  Block totals(Block block, int buffer, long row, long rows) {
    long rowBytes = plan.problem().partialRowBytes();
    long offset = bufferOffset(buffer) + sumBytes + row * rowBytes;
    return block.at(memory, offset, rows, rowBytes, rowBytes);
  }

  private long bufferOffset(int buffer) {
    return offsets.sums + buffer * bufferBytes;
  }

  /** Says that a rank of this host has computed so many tiles, over all steps. */
  void publishComputed(int rank, long tiles) {
    counters.publish(hosts.indexOf(rank), tiles);
  }

  /** How many tiles a rank of this host has computed, over all steps. */
  long computed(int rank) {
    return counters.get(hosts.indexOf(rank));
  }

  /** Says that a rank of this host has added up those of its tiles that are before one. */
  void publishAdded(int rank, long tiles) {
    counters.publish(hosts.size(host) + hosts.indexOf(rank), tiles);
  }

  /** The first tile, over all steps, that a rank of this host has not added up. */
  long added(int rank) {
    return counters.get(hosts.size(host) + hosts.indexOf(rank));
  }

  /** Says that a rank of this host has the totals of those of its tiles that are before one. */
  void publishTotalled(int rank, long tiles) {
    counters.publish(2 * hosts.size(host) + hosts.indexOf(rank), tiles);
  }

  /** The first tile, over all steps, that a rank of this host has no totals of. */
  long totalled(int rank) {
    return counters.get(2 * hosts.size(host) + hosts.indexOf(rank));
  }

  private int routeCounter(int route) {
    int origin = route / hosts.ranks();
    int block = route % hosts.ranks();
    int index =
        plan.problem().scattered() ? origin * hosts.size(host) + hosts.indexOf(block) : route;
    return hostCounters(plan, host) + index;
  }

  /** Says that so many chunks of a route have arrived, over all steps. */
  void publishArrived(int route, long chunks) {
    counters.publish(routeCounter(route), chunks);
  }

  /** How many chunks of a route have arrived, over all steps. */
  long arrived(int route) {
    return counters.get(routeCounter(route));
  }

  /** A number that grows whenever a rank of this host gets on. */
  long progress() {
    long sum = 0;
    int end = hostCounters(plan, host);
    for (int i = 0; i < end; i++) {
      sum += counters.get(i);
    }
    return sum;
  }
}
