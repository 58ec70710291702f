// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;

/**
 * Capacity of a workspace.
 *
 * @param maxRows the most rows of A, over all ranks, that a step may have
 * @param maxRowBytes the most bytes that a row of A may have
 * @param gathered whether the window has room for whole steps
 * @param slots how many slots each route has for streamed steps; 0 if there is no room for them
 * @param slotBytes the bytes of a slot
 */
public record Capacity(
    long maxRows, long maxRowBytes, boolean gathered, int slots, long slotBytes) {

  /** Room for whole steps, or for streamed ones if the tuning wants that. */
  public static Capacity of(long maxRows, long maxRowBytes, Tuning tuning) {
    boolean streamed = tuning.storage() == Storage.STREAMED;
    return new Capacity(
        maxRows,
        maxRowBytes,
        !streamed,
        streamed ? tuning.slots() : 0,
        streamed ? ChunkRule.slotBytes(tuning, maxRows, maxRowBytes) : 0);
  }

  /** Bytes of all rows of a whole step; 0 if there is no room for one. */
  public long gatheredBytes() {
    return gathered ? Math.multiplyExact(maxRows, maxRowBytes) : 0;
  }

  /** How many rows of a length fit into a slot. */
  long slotRows(long rowBytes) {
    return rowBytes == 0 ? maxRows : slotBytes / rowBytes;
  }
}
