// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import java.util.Collection;

/**
 * Tags of the workspaces of a group: each has a range of its own. An engine has only so many, so
 * ranges are used again, in turn. All ranks of a group take the same ones; no rank takes one of a
 * workspace that it has not closed.
 */
public final class TagRanges {
  private final int length;
  private final long count;
  private long taken;

  /**
   * For a group.
   *
   * @param ranks how many ranks it has
   * @param mostTag the highest tag of its channel, which is that of transfers between two ranks
   */
  public TagRanges(int ranks, int mostTag) {
    this.length = StepTransfers.tags(ranks);
    this.count = mostTag / length;
    if (count == 0) {
      throw new IllegalArgumentException(
          "a workspace of %d ranks needs %,d tags, and the engine has %,d for them: make smaller groups"
              .formatted(ranks, length, mostTag));
    }
  }

  /** The first tag of the next range. */
  public int next() {
    return (int) (taken % count * length);
  }

  /**
   * Throws if the next range is in use.
   *
   * @param used the first tags of workspaces that this rank has open
   */
  public void checkNext(Collection<Integer> used) {
    if (used.contains(next())) {
      throw new IllegalStateException(
          "the workspace that was opened %,d workspaces ago is still open, and the engine has no tags for another one: close it first"
              .formatted(count));
    }
  }

  /** Goes on to the range after the next one. */
  public void take() {
    taken++;
  }
}
