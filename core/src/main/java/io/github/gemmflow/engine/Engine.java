// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.engine;

/**
 * One process's end of the network that connects the ranks of a job. Polled and never blocking, as
 * MPI is: calls start things, and only {@link #progress} moves them.
 *
 * <p>One thread at a time makes calls on an engine and its channels: the communication thread,
 * which connects and closes it, or a thread that helps it. Only {@link #rank}, {@link #size},
 * {@link #name}, {@link #island} and {@link #announces} may be called by any thread at any time. A
 * failure of the network is an {@link io.github.gemmflow.failure.EngineException} from any call,
 * and final. {@code EngineContract} in the test artifact says in tests what is expected.
 */
public interface Engine extends AutoCloseable {
  /** What it is, for logs; with the version of the library behind it, if there is one. */
  String name();

  /** This process's rank in the job. */
  int rank();

  /** The number of ranks in the job. */
  int size();

  /**
   * Ranks with different islands never share memory, even if they could; ranks with equal ones are
   * tried. Only an engine that pretends to have several hosts returns anything but "".
   */
  default String island() {
    return "";
  }

  /**
   * Whether this engine calls the runnable given to {@link #onActivity} whenever {@link #progress}
   * would find something. If not, it is polled.
   */
  boolean announces();

  /**
   * Sets what to call, from any thread, when there may be progress to make. It is not called any
   * more once {@link #close} has returned.
   */
  void onActivity(Runnable wakeUp);

  /** The channel of all ranks. */
  Channel world();

  /**
   * A new channel for the ranks that give the same color; their order is that of the job.
   * Collective over all ranks, and may block until all have called it.
   *
   * @param color at least 0
   */
  Channel split(int color);

  /**
   * Moves transfers and exchanges on, without blocking.
   *
   * @return how many were completed by this call
   */
  int progress();

  /**
   * How long, in nanoseconds, a rank that has found a failure in a step lets the others find it,
   * too, before it ends the job.
   */
  default long graceNanos() {
    return 0;
  }

  /** Ends the job for all ranks, as quickly as the engine can. */
  void abort(String reason);

  /**
   * Ends the job although the communication thread does not answer, being stuck in a call of this
   * engine. Called by another thread.
   */
  default void kill(String reason) {
    abort(reason);
  }

  /**
   * Whether ranks must close this engine together, because some would wait in {@link #close} for
   * those that are not there yet. If so, a rank makes sure that all others close it, too.
   */
  default boolean closesTogether() {
    return false;
  }

  /** Leaves the job in good order. After {@link #abort} or a failure it waits for nobody. */
  @Override
  void close();
}
