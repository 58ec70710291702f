// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.plan.Domains;
import io.github.gemmflow.plan.SumLayout;
import io.github.gemmflow.plan.SumPlan;
import io.github.gemmflow.plan.SumProblem;
import io.github.gemmflow.window.Counters;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * What summing operators of one plan share: a window with room for partial sums of each rank of
 * this host, tile by tile in a ring of slots, and for the sums of other hosts, whole, in two rooms;
 * and how far the tiles and chunks in it are numbered. A use of a slot is a tile's position,
 * counted on over all steps; a slot has room for the partial sums of each rank of the host.
 */
public final class SumSpace implements Layouts {
  private static final long PAGE = 4096;

  private final SumPlan plan;
  private final Domains domains;
  private final int domain;
  private final MemorySegment memory;
  private final Counters counters;
  private final SlotRing slots;
  private final long partsOffset;
  private final long sumsOffset;
  private final SumLayout[] layouts = new SumLayout[Space.STEPS];
  private final long[] firstUse = new long[Space.STEPS];
  private final long[][] firstChunk = new long[Space.STEPS][];
  private final long[] nextChunk;
  private long nextUse;

  /**
   * The contents of a window of {@link #bytes} bytes.
   *
   * @param domain the domain that the window belongs to
   */
  public SumSpace(SumPlan plan, int domain, MemorySegment memory) {
    this.plan = plan;
    this.domains = plan.domains();
    this.domain = domain;
    this.memory = memory;
    this.counters = new Counters(memory, 0);
    int ranks = domains.size(domain);
    this.slots = new SlotRing(counters, 2 * ranks, readers(domains, domain), plan.slots());
    this.partsOffset = roundUp(Counters.bytes(counters(domains, domain)));
    this.sumsOffset = partsOffset + ranks * partBytes(plan);
    int routes = domains.count() * domains.ranks();
    this.nextChunk = new long[routes];
    for (int room = 0; room < Space.STEPS; room++) {
      layouts[room] = plan.step();
      firstChunk[room] = new long[routes];
    }
  }

  /** The bytes that a window needs. */
  public static long bytes(SumPlan plan, int domain) {
    Domains domains = plan.domains();
    long parts = Math.multiplyExact(domains.size(domain), partBytes(plan));
    return Math.addExact(
        Math.addExact(roundUp(Counters.bytes(counters(domains, domain))), parts),
        Math.multiplyExact(Space.STEPS, roomBytes(plan)));
  }

  /**
   * For each rank of the host one of tiles computed and one of tiles added up, then one for each
   * reader of slots, then one for each route.
   */
  private static int counters(Domains domains, int domain) {
    return 2 * domains.size(domain) + readers(domains, domain) + domains.count() * domains.ranks();
  }

  /** Each rank reads with its compute lane and, if there are other hosts, its comm lane. */
  private static int readers(Domains domains, int domain) {
    return domains.size(domain) * (domains.count() > 1 ? 2 : 1);
  }

  private static long partBytes(SumPlan plan) {
    return roundUp(Math.multiplyExact(plan.slots(), plan.tileBytes()));
  }

  /** The sums of all other hosts; all rows may be for ranks of one host. */
  private static long roomBytes(SumPlan plan) {
    SumProblem problem = plan.problem();
    long rows = Math.multiplyExact(plan.domains().count() - 1L, problem.maxRows());
    return roundUp(Math.multiplyExact(rows, problem.wireRowBytes()));
  }

  private static long roundUp(long bytes) {
    return Math.multiplyExact(Math.ceilDiv(bytes, PAGE), PAGE);
  }

  public SumPlan plan() {
    return plan;
  }

  @Override
  public SumLayout layout(int room) {
    return layouts[room];
  }

  /** Numbers the tiles and chunks of a step, which is laid out, on from those of the one before. */
  void number(int room) {
    SumLayout layout = layouts[room];
    firstUse[room] = nextUse;
    nextUse += layout.tiles();
    System.arraycopy(nextChunk, 0, firstChunk[room], 0, nextChunk.length);
    Arrays.setAll(nextChunk, route -> nextChunk[route] + layout.chunks(route));
  }

  /** The use of a slot by the tile at a position of a step. */
  long use(OpenStep step, long position) {
    return firstUse[step.room()] + position;
  }

  /** The slots; the compute lanes of the host are their first readers, then its comm lanes. */
  SlotRing slots() {
    return slots;
  }

  /** All partial sums of a rank of this host, slot after slot. */
  public MemorySegment parts(int rank) {
    return memory.asSlice(partOffset(rank), plan.slots() * plan.tileBytes());
  }

  private long partOffset(int rank) {
    return partsOffset + domains.indexOf(rank) * partBytes(plan);
  }

  /** The first row, among all of a rank's partial sums, of the tile at a position. */
  long slotRow(OpenStep step, long position) {
    return slots.slot(use(step, position)) * plan.tileRows();
  }

  /** Points a block at a rank's partial sums of rows of a tile. */
  Block part(Block block, OpenStep step, int rank, TileRows tile) {
    return part(block, step, rank, tile.position(), tile.offset(), tile.rows());
  }

  private Block part(Block block, OpenStep step, int rank, long position, long from, long rows) {
    long rowBytes = plan.problem().partialRowBytes();
    long offset = partOffset(rank) + (slotRow(step, position) + from) * rowBytes;
    return block.at(memory, offset, rows, rowBytes, rowBytes);
  }

  /**
   * Points a block at what a rank has added up of rows of a tile. It lies where its own partial
   * sums were, row by row, so with gaps if it is shorter.
   */
  Block sum(Block block, OpenStep step, int rank, TileRows tile) {
    return part(block, step, rank, tile).columns(0, plan.problem().wireRowBytes());
  }

  /** Points a block at a chunk of what a rank has added up. */
  Block sum(Block block, OpenStep step, int rank, int route, long chunk) {
    SumLayout layout = layouts[step.room()];
    int rowBlock = layout.block(route);
    long piece = layout.pieceOfChunk(rowBlock, chunk);
    long first = layout.chunkBegin(route, chunk);
    long rows = layout.chunkBegin(route, chunk + 1) - first;
    long offset = layout.pieceOffset(rowBlock, piece) + first - layout.pieceBegin(rowBlock, piece);
    return part(block, step, rank, layout.piecePosition(domain, rowBlock, piece), offset, rows)
        .columns(0, plan.problem().wireRowBytes());
  }

  /** Points a block at sums of another host: whole rows of a block of the step. */
  Block received(Block block, OpenStep step, int route, long firstRow, long rows) {
    SumLayout layout = layouts[step.room()];
    long rowBytes = plan.problem().wireRowBytes();
    int source = Math.floorMod(layout.origin(route) - domain - 1, domains.count());
    long row = source * plan.problem().maxRows() + rowInRoom(layout, layout.block(route), firstRow);
    long offset = sumsOffset + step.room() * roomBytes(plan) + row * rowBytes;
    return block.at(memory, offset, rows, rowBytes, rowBytes);
  }

  /** Blocks that other hosts get leave no gaps. */
  private long rowInRoom(SumLayout layout, int block, long row) {
    long before = 0;
    for (int other = 0; other < block; other++) {
      if (layout.isWantedIn(domain, other)) {
        before += layout.blockBegin(other + 1) - layout.blockBegin(other);
      }
    }
    return before + row - layout.blockBegin(block);
  }

  /** Says that a rank of this host has computed all tiles before a position. */
  void publishComputed(OpenStep step, int rank, long position) {
    counters.publish(domains.indexOf(rank), use(step, position));
  }

  /** How many tiles a rank of this host has computed, over all steps. */
  long computed(int rank) {
    return counters.get(domains.indexOf(rank));
  }

  /** Whether a rank of this host has computed the tile at a position. */
  boolean isComputed(OpenStep step, int rank, long position) {
    return computed(rank) > use(step, position);
  }

  /** Says that a rank of this host has added up those of its tiles that are before a position. */
  void publishAdded(OpenStep step, int rank, long position) {
    counters.publish(domains.size(domain) + domains.indexOf(rank), use(step, position));
  }

  /** The position of the first tile that a rank of this host has not added up. */
  long addedUpTo(OpenStep step, int rank) {
    return counters.get(domains.size(domain) + domains.indexOf(rank)) - use(step, 0);
  }

  /** Whether a rank of this host has added up its tile at a position. */
  boolean isAdded(OpenStep step, int rank, long position) {
    return addedUpTo(step, rank) > position;
  }

  private int routeCounter(int route) {
    return 2 * domains.size(domain) + readers(domains, domain) + route;
  }

  /** Says that the first chunks of a route are here. */
  void publishArrived(OpenStep step, int route, long chunks) {
    counters.publish(routeCounter(route), firstChunk[step.room()][route] + chunks);
  }

  /** How many chunks of a route are here; those of later steps do not count. */
  long arrived(OpenStep step, int route) {
    long chunks = counters.get(routeCounter(route)) - firstChunk[step.room()][route];
    return Math.min(chunks, layouts[step.room()].chunks(route));
  }

  /** A number that grows whenever a rank of this host gets on, or something arrives. */
  long progress() {
    long sum = 0;
    int end = counters(domains, domain);
    for (int i = 0; i < end; i++) {
      sum += counters.get(i);
    }
    return sum;
  }
}
