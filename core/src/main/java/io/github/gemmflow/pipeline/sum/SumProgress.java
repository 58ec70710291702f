// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.sum;

import io.github.gemmflow.pipeline.step.HeaderCheck;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.plan.NextTile;
import io.github.gemmflow.plan.SumLayout;

/**
 * Progress of a summing step, read from the window. What a rank says counts once its header has
 * been found to be about this step.
 */
final class SumProgress implements NextTile.Progress {
  private final SumStep step;
  private final HostPeers peers;
  private final HeaderCheck headers;

  /** The progress of the steps in a buffer. */
  SumProgress(SumStep step, HostPeers peers, HeaderCheck headers) {
    this.step = step;
    this.peers = peers;
    this.headers = headers;
  }

  @Override
  public boolean isFree(long position) {
    return step.isFree(position);
  }

  @Override
  public boolean isComputed(int rank, long position) {
    return headers.verify(step.open(), rank) && step.isComputed(rank, position);
  }

  @Override
  public boolean isAdded(int rank, long position) {
    return headers.verify(step.open(), rank) && step.isAdded(rank, position);
  }

  @Override
  public boolean isTotalled(int rank, long position) {
    return headers.verify(step.open(), rank) && step.totalledUpTo(rank) > position;
  }

  /** The sender's header says what the chunks are; the receiver's, where they lie. */
  @Override
  public long arrived(int route) {
    SumLayout layout = step.layout();
    int block = layout.block(route);
    boolean verified =
        headers.verify(step.open(), layout.owner(layout.origin(route), block))
            && headers.verify(step.open(), layout.owner(peers.host(), block));
    return verified ? step.arrived(route) : 0;
  }
}
