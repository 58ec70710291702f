// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.plan.NextTile;
import io.github.gemmflow.plan.SumLayout;

/**
 * Progress of a summing step, read from the window. What a rank says counts once its header has
 * been found to be about this step.
 */
final class SumProgress implements NextTile.Progress {
  private final Members members;
  private final Arrivals arrivals;
  private OpenStep step = new OpenStep(0, 0, 0);

  SumProgress(Members members, Arrivals arrivals) {
    this.members = members;
    this.arrivals = arrivals;
  }

  /** Looks at a step from now on. */
  void bind(OpenStep newStep) {
    step = newStep;
  }

  @Override
  public boolean isFree(long position) {
    return step.sums().slots().isFree(step.sums().use(step, position));
  }

  @Override
  public boolean isComputed(int rank, long position) {
    return arrivals.verify(step, rank) && step.sums().isComputed(step, rank, position);
  }

  @Override
  public boolean isAdded(int rank, long position) {
    return arrivals.verify(step, rank) && step.sums().isAdded(step, rank, position);
  }

  /** The sender's header says what the chunks are; the receiver's, where they lie. */
  @Override
  public long arrived(int route) {
    SumLayout layout = step.sums().layout(step.room());
    int block = layout.block(route);
    boolean verified =
        arrivals.verify(step, layout.owner(layout.origin(route), block))
            && arrivals.verify(step, layout.owner(members.domain(), block));
    return verified ? step.sums().arrived(step, route) : 0;
  }
}
