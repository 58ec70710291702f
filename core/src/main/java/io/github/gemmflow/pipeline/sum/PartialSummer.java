// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.sum;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.wire.WireRows;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.plan.SumLayout;
import java.lang.foreign.MemorySegment;

/**
 * Adder of the partial sums of a tile for one thread, always in the same order: the ranks of a host
 * in rank order, then the hosts in the order of their first ranks.
 */
final class PartialSummer {
  /** Three runs of floats fit the first-level cache; each is of whole blocks of int8. */
  private static final int RUN = 2048;

  private final HostPeers peers;
  private final WireRows rows = new WireRows(RUN);
  private final float[] total = new float[RUN];
  private final float[] sum = new float[RUN];
  private final float[] next = new float[RUN];
  private final MemorySegment onTheWire = MemorySegment.ofArray(new long[RUN / 2]);
  private final Block[] sources;
  private final Block block = new Block();

  /** What there is of the sum over the ranks of this host. */
  private enum Own {
    /** Each rank's partial sums. */
    IN_PARTS,

    /** The same, which have to be rounded as those of other hosts were. */
    AS_ON_THE_WIRE,

    /** The sum, as it travels. */
    ADDED_UP
  }

  PartialSummer(HostPeers peers) {
    this.peers = peers;
    this.sources = new Block[peers.hostRanks() + peers.hosts().count()];
    for (int i = 0; i < sources.length; i++) {
      sources[i] = new Block();
    }
  }

  /** Adds up what the ranks of this host have of some rows, into this rank's part. */
  void addHost(SumStep step, DType wire, TileRows tile) {
    if (peers.hostRanks() == 1 && wire == DType.F32) {
      // It is there already.
      return;
    }
    pointAtParts(step, tile);
    Block target = step.sum(block, peers.rank(), tile);
    long columns = step.layout().plan().problem().columns();
    for (long row = 0; row < tile.rows(); row++) {
      for (long column = 0; column < columns; column += RUN) {
        int count = (int) Math.min(RUN, columns - column);
        addParts(row, column, sum, count);
        rows.store(wire, target.memory(), at(target, row), column, sum, count);
      }
    }
  }

  /** Adds up some rows over all hosts, into this rank's part. */
  void addTotal(SumStep step, DType wire, TileRows tile) {
    pointAtParts(step, tile);
    pointAtHosts(step, step.layout(), tile);
    Block target = step.part(block, peers.rank(), tile);
    long columns = step.layout().plan().problem().columns();
    for (long row = 0; row < tile.rows(); row++) {
      for (long column = 0; column < columns; column += RUN) {
        int count = (int) Math.min(RUN, columns - column);
        addHosts(wire, Own.AS_ON_THE_WIRE, row, column, count);
        rows.store(DType.F32, target.memory(), at(target, row), column, total, count);
      }
    }
  }

  /**
   * Adds up some rows over all hosts, unless that is done, and puts them where they are wanted.
   *
   * @param work what becomes of them
   * @param outputRow where the first of them goes in the output
   */
  void addAll(SumStep step, SumWork work, TileRows tile, long outputRow) {
    SumLayout layout = step.layout();
    boolean totalled = layout.isStaged();
    Own own = layout.leaves(peers.host(), tile.block()) ? Own.ADDED_UP : Own.IN_PARTS;
    if (totalled) {
      pointAtTotals(step, layout, tile);
    } else {
      pointAtParts(step, tile);
      pointAtHosts(step, layout, tile);
      if (own == Own.ADDED_UP) {
        int owner = layout.owner(peers.host(), tile.block());
        step.sum(host(peers.host()), owner, tile);
      }
    }
    Matrix output = work.output();
    output.block(block, outputRow, outputRow + tile.rows());
    for (long row = 0; row < tile.rows(); row++) {
      for (long column = 0; column < output.columns(); column += RUN) {
        int count = (int) Math.min(RUN, output.columns() - column);
        if (totalled) {
          load(host(layout.home(tile.block())), DType.F32, row, column, total, count);
        } else {
          addHosts(work.wire(), own, row, column, count);
        }
        finish(work, output.type(), row, column, count);
      }
    }
  }

  private Block host(int host) {
    return sources[peers.hostRanks() + host];
  }

  private void pointAtParts(SumStep step, TileRows tile) {
    for (int i = 0; i < peers.hostRanks(); i++) {
      step.part(sources[i], peers.hostRank(i), tile);
    }
  }

  private void pointAtHosts(SumStep step, SumLayout layout, TileRows tile) {
    for (int host = 0; host < peers.hosts().count(); host++) {
      if (host != peers.host()) {
        int route = layout.route(host, tile.block());
        long first = tile.firstRow();
        step.received(host(host), route, first, tile.rows());
      }
    }
  }

  /** Totals lie with the rank that made them, or where they came in. */
  private void pointAtTotals(SumStep step, SumLayout layout, TileRows tile) {
    int home = layout.home(tile.block());
    if (home == peers.host()) {
      step.part(host(home), tile.block(), tile);
    } else {
      int route = layout.route(home, tile.block());
      step.received(host(home), route, tile.firstRow(), tile.rows());
    }
  }

  private static long at(Block block, long row) {
    return block.offset() + row * block.stride();
  }

  private void load(Block source, DType type, long row, long column, float[] values, int count) {
    rows.load(type, source.memory(), at(source, row), column, values, count);
  }

  /** Leaves in an array what the ranks of this host have. */
  private void addParts(long row, long column, float[] values, int count) {
    load(sources[0], DType.F32, row, column, values, count);
    for (int i = 1; i < peers.hostRanks(); i++) {
      load(sources[i], DType.F32, row, column, next, count);
      add(values, next, count);
    }
  }

  /** Leaves in {@link #total} what all hosts have. */
  private void addHosts(DType wire, Own own, long row, long column, int count) {
    for (int host = 0; host < peers.hosts().count(); host++) {
      float[] values = host == 0 ? total : sum;
      if (host == peers.host() && own != Own.ADDED_UP) {
        addParts(row, column, values, count);
        if (own == Own.AS_ON_THE_WIRE) {
          round(wire, values, count);
        }
      } else {
        load(host(host), wire, row, column, values, count);
      }
      if (host > 0) {
        add(total, sum, count);
      }
    }
  }

  /** Leaves in an array what another host would get of it. */
  private void round(DType wire, float[] values, int count) {
    if (wire != DType.F32) {
      rows.store(wire, onTheWire, 0, 0, values, count);
      rows.load(wire, onTheWire, 0, 0, values, count);
    }
  }

  private void finish(SumWork work, DType type, long row, long column, int count) {
    work.epilogue().apply(total, (int) column, count);
    if (work.isOnto()) {
      load(block, type, row, column, next, count);
      add(total, next, count);
    }
    rows.store(type, block.memory(), at(block, row), column, total, count);
  }

  private static void add(float[] to, float[] values, int count) {
    for (int i = 0; i < count; i++) {
      to[i] += values[i];
    }
  }
}
