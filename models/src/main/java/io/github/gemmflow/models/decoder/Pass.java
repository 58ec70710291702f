// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.decoder;

import io.github.gemmflow.RowCounts;
import io.github.gemmflow.models.checkpoint.ModelConfig;
import io.github.gemmflow.models.parallel.RowSplit;
import io.github.gemmflow.models.parallel.Slice;
import java.util.Arrays;
import java.util.List;

/**
 * One pass through the model: the tokens of some sequences that it has not seen yet, one row each,
 * sequence after sequence. A prompt is many rows, a sequence that grows is one. All ranks know all
 * of this; each has its part of the rows.
 */
final class Pass {
  private final List<Sequence> sequences;
  private final RowSplit split;
  private final Slice mine;
  private final RowCounts gathered;
  private final RowCounts summed;
  private final int[] firstRows;
  private final int[] sequenceOf;
  private final int[] positions;
  private final int[] tokens;
  private final Rotary rotary;

  Pass(ModelConfig config, RowSplit split, List<Sequence> sequences) {
    this.sequences = sequences;
    this.split = split;
    this.firstRows = new int[sequences.size() + 1];
    for (int s = 0; s < sequences.size(); s++) {
      int fresh = sequences.get(s).fresh();
      if (fresh == 0) {
        throw new IllegalArgumentException("sequence %d has no new token: append one".formatted(s));
      }
      firstRows[s + 1] = firstRows[s] + fresh;
    }
    this.mine = split.slice(rows());
    this.gathered = RowCounts.known(split.gathered(rows()));
    this.summed = split.summed(rows());
    this.tokens = new int[rows()];
    this.positions = new int[rows()];
    this.sequenceOf = new int[rows()];
    for (int s = 0; s < sequences.size(); s++) {
      for (int row = firstRows[s]; row < firstRows[s + 1]; row++) {
        sequenceOf[row] = s;
        positions[row] = sequences.get(s).seen() + row - firstRows[s];
        tokens[row] = sequences.get(s).token(positions[row]);
      }
    }
    this.rotary = new Rotary(config, positions);
  }

  List<Sequence> sequences() {
    return sequences;
  }

  /** All rows, over all ranks. */
  int rows() {
    return firstRows[sequences.size()];
  }

  /** The sequence that a row is of. */
  Sequence sequence(int row) {
    return sequences.get(sequenceOf[row]);
  }

  /** Where a row is in its sequence. */
  int position(int row) {
    return positions[row];
  }

  /** How the rows are spread: what every gather wants to know. */
  RowCounts gathered() {
    return gathered;
  }

  /** How they are spread afterwards: what every sum wants to know. */
  RowCounts summed() {
    return summed;
  }

  /** The rows of this rank. */
  int myRows() {
    return mine.size();
  }

  /** The token of one of this rank's rows. */
  int myToken(int row) {
    return tokens[(int) mine.begin() + row];
  }

  /** How many sequences end in the rows of each rank: only their last rows become logits. */
  RowCounts ends() {
    long[] counts = split.gathered(rows());
    long begin = 0;
    for (int rank = 0; rank < counts.length; rank++) {
      long end = begin + counts[rank];
      counts[rank] = ends(new Slice(begin, end)).length;
      begin = end;
    }
    return RowCounts.known(counts);
  }

  /** Those of this rank's rows that are the last of a sequence. */
  int[] myEnds() {
    return ends(mine);
  }

  private int[] ends(Slice of) {
    return Arrays.stream(firstRows, 1, firstRows.length)
        .map(next -> next - 1)
        .filter(last -> last >= of.begin() && last < of.end())
        .map(last -> last - (int) of.begin())
        .toArray();
  }

  Rotary rotary() {
    return rotary;
  }
}
