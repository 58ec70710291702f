// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import java.util.concurrent.atomic.AtomicReference;

/** State of the one step that may be open in a workspace at a time. Thread-safe. */
final class StepState {
  private enum State {
    IDLE,
    BEGINNING,
    OPEN,
    RUNNING,
    DONE,
    ENDING,
    SHUT,
    CLOSED
  }

  private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);

  /** A step wants to begin; returns whether it may. */
  boolean tryBegin() {
    return state.compareAndSet(State.IDLE, State.BEGINNING);
  }

  /** A step that wanted to begin has begun, or has not. */
  void setBegun(boolean begun) {
    state.set(begun ? State.OPEN : State.IDLE);
  }

  /**
   * The step runs from now on.
   *
   * @throws IllegalStateException if it cannot
   */
  void run() {
    if (!state.compareAndSet(State.OPEN, State.RUNNING)) {
      throw new IllegalStateException(
          state.get() == State.RUNNING
              ? "the step is running in another thread"
              : "a step runs once, after it began and before it ends");
    }
  }

  /** The step has run. */
  void setDone() {
    state.set(State.DONE);
  }

  /** Whether the step has run, or will never run because another thread gave it up. */
  boolean isDone() {
    return state.get() == State.DONE;
  }

  /** A step that has not run never will; returns whether there was one. */
  boolean giveUp() {
    return state.compareAndSet(State.OPEN, State.DONE);
  }

  /** A step that has run ends; returns whether there was one. */
  boolean tryEnd() {
    return state.compareAndSet(State.DONE, State.ENDING);
  }

  /** The step has ended. */
  void setEnded() {
    state.set(State.IDLE);
  }

  /** Throws if another thread runs the step. */
  void checkNotRunning() {
    if (state.get() == State.RUNNING) {
      throw new IllegalStateException("the step is running in another thread");
    }
  }

  /** Whether a step is open, or begins or ends at this moment. */
  boolean isOpen() {
    State now = state.get();
    return now != State.IDLE && now != State.SHUT && now != State.CLOSED;
  }

  /** No step begins any more, unless one is open; returns whether there was none. */
  boolean shut() {
    return state.compareAndSet(State.IDLE, State.SHUT);
  }

  /** Whether no step begins any more. */
  boolean isShut() {
    return state.get() == State.SHUT || state.get() == State.CLOSED;
  }

  /** The workspace is closed. */
  void close() {
    state.set(State.CLOSED);
  }
}
