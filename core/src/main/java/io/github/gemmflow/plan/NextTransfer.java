// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

/** The communication thread's decision: which stream to start the next chunk of. */
public final class NextTransfer {
  /** No stream can go on now. */
  public static final int NONE = -1;

  private NextTransfer() {}

  /**
   * Chooses the first stream, in the order of the list, that has a chunk to start. The limit is per
   * stream, so a peer that does not answer never holds up a stream to another.
   *
   * @param streams how many streams there are
   * @param available chunks of each stream that may be started so far
   * @param started chunks of each stream that have been started
   * @param finished chunks of each stream that have been finished
   * @param inFlight how many chunks of a stream may be under way
   * @return the index of a stream, or {@link #NONE}
   */
  public static int choose(
      int streams, long[] available, long[] started, long[] finished, int inFlight) {
    return choose(0, streams, available, started, finished, inFlight);
  }

  /**
   * The same from a stream on, if those before it are known to have nothing to start. Starting a
   * chunk changes nothing for other streams, so whoever starts all that can be started goes through
   * the list once.
   *
   * @param from the first stream to look at
   */
  public static int choose(
      int from, int streams, long[] available, long[] started, long[] finished, int inFlight) {
    for (int i = from; i < streams; i++) {
      if (started[i] < available[i] && started[i] - finished[i] < inFlight) {
        return i;
      }
    }
    return NONE;
  }
}
