// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.step;

/**
 * Help for the communication thread by threads that wait for what it brings. Who helps needs nobody
 * to wake it when that has come. All methods may be called from any thread.
 */
public interface CommHelp {
  /** Something is there to be sent: it leaves now, if the communication thread has a rest. */
  void send();

  /**
   * Moves transfers on, in place of the communication thread.
   *
   * @return false if another thread does that at the moment
   */
  boolean tryMove();

  /**
   * The calling thread turns to work, and looks again when that is done: the communication thread
   * goes on with what cannot wait for it.
   */
  void turnToWork();

  /** The calling thread goes to sleep: the communication thread goes on with all of it. */
  void fallAsleep();

  /** The calling thread sleeps no more. */
  void wakeUp();
}
