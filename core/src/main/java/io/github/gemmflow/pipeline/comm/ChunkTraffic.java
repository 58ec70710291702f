// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.plan.Transfers;

/**
 * Chunks that travel in a step, as far as they depend on its kind. Used by the communication
 * thread, or one that helps it.
 */
public interface ChunkTraffic {
  /** Turns to a step, and finds its transfers. */
  void start(Transfers transfers);

  /** How many chunks of a route are here to be sent. */
  long sendable(int route);

  /** How many chunks of a route there is room for. */
  long receivable(int route);

  /**
   * Which tag of the workspace's the chunks of a route have: from 0 to before the number of ranks
   * times {@link io.github.gemmflow.tuning.Schedule#MAX_PARTS}, and different for any two routes
   * between the same two ranks.
   */
  int tag(int route);

  /** Points a block at a chunk that this rank sends. */
  Block toSend(Block block, int route, long chunk);

  /** Points a block at the place for a chunk that this rank receives. */
  Block received(Block block, int route, long chunk);

  /**
   * Whether a chunk counts as sent only after its receiver has started to receive it: until then
   * its sender sends no more than it may have in flight. If no chunk does, a sender may be two
   * steps ahead of its receiver: for more it waits for headers.
   */
  boolean isSynchronous(int route, long chunk);

  /**
   * Whether the chunks of a route that a rank sends may come with its header: they are its own, and
   * there is room for them whenever that arrives.
   */
  boolean mayFollowHeader(int route, int sender);

  /** Says that the first chunks of a route have arrived. */
  void arrived(int route, long chunks);

  /** All that this rank receives has arrived: so many bytes in so long, since the first chunk. */
  void learn(long bytes, long nanos);

  /** Lets go of slots whose chunks were sent; returns how many, 0 if there are no slots. */
  int releaseSlots(StreamProgress sends);

  /** Whether all slots were let go of; true if there are none. */
  boolean areSlotsReleased();
}
