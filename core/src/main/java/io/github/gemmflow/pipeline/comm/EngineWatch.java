// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import io.github.gemmflow.failure.EngineException;
import io.github.gemmflow.pipeline.step.Breakable;
import java.util.function.BooleanSupplier;

/** Agent that breaks ranks up when the engine fails, unless this rank leaves. */
final class EngineWatch implements CommAgent {
  private final int rank;
  private final Breakable ranks;
  private final BooleanSupplier leaving;

  EngineWatch(int rank, Breakable ranks, BooleanSupplier leaving) {
    this.rank = rank;
    this.ranks = ranks;
    this.leaving = leaving;
  }

  @Override
  public int poll() {
    return 0;
  }

  @Override
  public int underWay() {
    return 0;
  }

  @Override
  public void fail(EngineException e) {
    // A rank that leaves in good order does not care what becomes of the others.
    if (!leaving.getAsBoolean()) {
      ranks.breakUp("rank %d: %s".formatted(rank, e.getMessage()));
    }
  }
}
