// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import io.github.gemmflow.tuning.Hosts;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Text about a step that sums, for a person. */
final class SumLayoutText {
  private SumLayoutText() {}

  /** A step in a few lines: each block's rows, and who adds them up. */
  static String describe(SumLayout layout) {
    StringBuilder text = new StringBuilder(layout.plan().toString());
    for (int block = 0; block < layout.ranks(); block++) {
      if (layout.pieces(block) == 0) {
        continue;
      }
      long last = layout.pieces(block) - 1;
      text.append(
          describe(layout, block, layout.pieceBegin(block, 0), layout.pieceEnd(block, last)));
      for (int host = 0; host < layout.plan().hosts().count(); host++) {
        text.append(
            "; host %d: added up by rank %d%s"
                .formatted(
                    host, layout.owner(host, block), layout.leaves(host, block) ? ", leaves" : ""));
      }
      text.append('\n');
    }
    return text.toString();
  }

  /** Rows of a block. */
  static String describe(SumLayout layout, int block, long from, long to) {
    return layout.areSameRows()
        ? "rows %d-%d".formatted(from, to - 1)
        : "rows %d-%d of rank %d".formatted(from, to - 1, block);
  }

  /** What a route carries, from a chunk on. */
  static String describeRoute(SumLayout layout, int route, long fromChunk) {
    int block = layout.block(route);
    long begin = layout.chunkBegin(route, fromChunk);
    // Of rows that are dealt out tile by tile, those of one tile.
    long piece =
        layout.isStriped() ? layout.pieceOfChunk(block, fromChunk) : layout.pieces(block) - 1;
    return "sums of %s for %s"
        .formatted(
            layout.isTotal(route)
                ? "all ranks"
                : describeRanks(layout.plan().hosts(), layout.origin(route)),
            describe(layout, block, begin, layout.pieceEnd(block, piece)));
  }

  private static String describeRanks(Hosts hosts, int host) {
    return IntStream.range(0, hosts.size(host))
        .mapToObj(i -> "rank " + hosts.member(host, i))
        .collect(Collectors.joining(", "));
  }
}
