// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi;

import io.github.gemmflow.mpi.binding.MpiException;
import org.jspecify.annotations.Nullable;

/** Owner of a request of MPI. */
interface Pending {
  /**
   * One of its requests is over.
   *
   * @param place where it was
   * @param bytes what came in, if it was a receive
   * @param failure why it failed; null if it did not
   */
  void completed(int place, long bytes, @Nullable MpiException failure);
}
