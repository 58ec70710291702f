// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.trace;

/** Recording of what the threads of a rank do; it ends when it is closed. */
public final class Recording implements AutoCloseable {
  private final Timeline timeline;
  private final Runnable end;

  /**
   * A recording that has begun.
   *
   * @param end ends it
   */
  public Recording(Timeline timeline, Runnable end) {
    this.timeline = timeline;
    this.end = end;
  }

  /** What was recorded. Read it when no step is open. */
  public Timeline timeline() {
    return timeline;
  }

  /** Ends the recording; what was recorded stays. Called while no step is open. */
  @Override
  public void close() {
    end.run();
  }
}
