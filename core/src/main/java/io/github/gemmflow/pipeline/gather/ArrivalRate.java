// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.gather;

import io.github.gemmflow.pipeline.compute.Average;

/**
 * Rate at which this rank receives rows from other hosts. The communication thread measures it; any
 * thread may ask.
 */
final class ArrivalRate {
  /** Less says more about naps than about the network. */
  private static final long LEAST_BYTES = 256 << 10;

  private final Average nanosPerByte = new Average();

  /** So many bytes took so long. */
  void learn(long bytes, long nanos) {
    if (bytes >= LEAST_BYTES) {
      nanosPerByte.add((double) nanos / bytes);
    }
  }

  /** How long so many bytes may take, in nanoseconds; for ever, if that is not known. */
  double nanos(long bytes) {
    double pace = nanosPerByte.get();
    return pace == 0 ? Double.POSITIVE_INFINITY : pace * bytes;
  }
}
