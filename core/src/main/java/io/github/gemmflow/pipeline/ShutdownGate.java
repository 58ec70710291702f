// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Gate that a step passes when its rank is the first to begin it. Once the process was told to end,
 * the gate is shut: this rank then only takes part in steps that others have begun.
 */
final class ShutdownGate {
  private final Ending ending;
  private final StepState state;

  /** Held while a step begins or is refused: others may not see half of that. */
  private final Lock lock = new ReentrantLock();

  private boolean followsOnly;

  ShutdownGate(Ending ending, StepState state) {
    this.ending = ending;
    this.state = state;
  }

  /**
   * A step wants to begin.
   *
   * @throws IllegalStateException if one is open, or none may begin any more
   */
  void enter() {
    lock.lock();
    try {
      if (!state.tryBegin()) {
        throw new IllegalStateException(
            state.isOpen()
                ? "a step of this workspace is still open: end it before the next one begins"
                : ending.reason("the workspace is closed"));
      }
    } finally {
      lock.unlock();
    }
  }

  /** Passes the gate to open a step, unless it is shut; {@link #leave} follows if not. */
  boolean tryLead() {
    lock.lock();
    boolean leads = !followsOnly && !ending.isTold();
    if (!leads) {
      lock.unlock();
    }
    return leads;
  }

  /** The step that passed the gate is open. */
  void leave() {
    lock.unlock();
  }

  /** Whether the process, which was told to end, has ended its part in all steps. */
  boolean isOver() {
    return ending.isOver();
  }

  /** Why no step begins, if the process was told to end. */
  String reason(String otherwise) {
    return ending.reason(otherwise);
  }

  /** Shuts the gate; every step that has passed it is known to others on this host by now. */
  void shutForLeaders() {
    lock.lock();
    try {
      followsOnly = true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Lets no step begin any more, unless one is open or another rank has begun the next one.
   *
   * @return whether that is so now
   */
  boolean shut(BooleanSupplier othersHaveBegun) {
    lock.lock();
    try {
      if (!state.isOpen() && !othersHaveBegun.getAsBoolean()) {
        state.shut();
      }
      return state.isShut();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Closes the workspace.
   *
   * @throws IllegalStateException if a step is open
   */
  void close() {
    lock.lock();
    try {
      if (state.isOpen()) {
        throw new IllegalStateException("a step of this workspace is still open: end it first");
      }
      state.close();
    } finally {
      lock.unlock();
    }
  }
}
