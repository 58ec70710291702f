// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi.binding;

import org.jspecify.annotations.Nullable;

/** Requests that are under way, tested with one call of {@code MPI_Testsome}. */
public interface Requests extends AutoCloseable {
  /**
   * Adds a request.
   *
   * @return its place, a small number that is used again once the request is over
   */
  int add(long request);

  /**
   * Tests all requests, and so lets MPI make progress.
   *
   * @return how many are over now, well or not; {@link #place}, {@link #failure} and {@link #bytes}
   *     say more until the next test
   */
  int testSome();

  /** The place of one of those that the last test found over; it is free from the next test on. */
  int place(int index);

  /** Why that one failed; null if it did not. */
  @Nullable MpiException failure(int index);

  /** How many bytes came in, if that was a receive. */
  long bytes(int index);

  /**
   * {@code MPI_Cancel}, and a test whether that ended the request. It leaves its place.
   *
   * @return whether the request is over, so that its buffer is certainly left alone
   */
  boolean cancel(int place);

  /** Forgets a request without touching it; what becomes of its buffer is up to the library. */
  void abandon(int place);

  @Override
  void close();
}
