// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.engine;

import io.github.gemmflow.matrix.Block;

/**
 * The ranks of a group, connected. Transfers between two ranks with one tag are matched in the
 * order in which they are started; apart from that they complete in any order.
 *
 * <p>A transfer is named by a request, a small number that is used again after {@link #isDone} said
 * true for it once.
 */
public interface Channel {
  /** A block of one row of up to this many bytes is short: it travels whole. */
  long SHORT_BYTES = 48 << 10;

  /** This process's rank in the group. */
  int rank();

  /** The number of ranks in the group. */
  int size();

  /** The highest tag that a transfer can have. */
  int mostTag();

  /**
   * Starts to send a block, whose bytes must not change until the request is done.
   *
   * @param tag from 0 to {@link #mostTag}
   * @param synchronous whether the request is done only after the receiver has started to receive;
   *     otherwise it may be done as soon as the engine has its own copy
   * @return the request
   */
  int send(int target, int tag, Block block, boolean synchronous);

  /**
   * Starts to receive a block, which must have as many rows of the same length as the sender's,
   * though perhaps at another distance. Its bytes are undefined until the request is done.
   *
   * @return the request
   */
  int receive(int source, int tag, Block block);

  /**
   * Starts to receive a short block, of which the sender's may be the first bytes only. How many
   * they are, they must say themselves.
   *
   * @return the request
   */
  int receiveUpTo(int source, int tag, Block block);

  /** Whether a transfer is complete. It says true once; then the request is no more. */
  boolean isDone(int request);

  /**
   * Gives a transfer up; the request is no more.
   *
   * @return whether the engine will certainly not touch the memory of the block any more
   */
  boolean cancel(int request);

  /**
   * Frees what the channel holds; it is not used any more. Collective over the group, while nothing
   * is under way.
   */
  default void close() {}

  /** Starts to give a few bytes to all ranks and to get theirs. Collective over the group. */
  Exchange allGather(byte[] mine);
}
