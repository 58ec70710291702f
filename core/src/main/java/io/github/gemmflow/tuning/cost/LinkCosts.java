// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning.cost;

import java.util.Locale;

/**
 * Costs of the link between a host and the others, which its ranks share; either way at the same
 * time.
 *
 * @param latencyNanos from the moment a rank has sent a short message until another one has it
 * @param nanosPerByte the time that a byte takes on the link
 */
public record LinkCosts(double latencyNanos, double nanosPerByte) {
  private static final double NANOS_PER_BYTE_AT_ONE_BIT = 8e9;

  public LinkCosts {
    Costs.check("a link's latency", latencyNanos);
    Costs.check("a link's time per byte", nanosPerByte);
  }

  /** A link of a rate in bits per second. */
  public static LinkCosts of(double latencyNanos, double bitsPerSecond) {
    return new LinkCosts(latencyNanos, NANOS_PER_BYTE_AT_ONE_BIT / bitsPerSecond);
  }

  /** The rate, in bits per second. */
  public double bitsPerSecond() {
    return NANOS_PER_BYTE_AT_ONE_BIT / nanosPerByte;
  }

  /** The rate, for a person. */
  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%.3g Gbit/s", bitsPerSecond() / 1e9);
  }
}
