// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.gather;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ArrivalRateTest {
  private static final long MEBIBYTE = 1 << 20;

  private final ArrivalRate rate = new ArrivalRate();

  @Test
  void withoutAnyArrivalNothingIsExpected() {
    assertEquals(Double.POSITIVE_INFINITY, rate.nanos(1));
  }

  @Test
  void fewBytesSayNothing() {
    rate.learn(1000, 1);
    assertEquals(Double.POSITIVE_INFINITY, rate.nanos(1));
  }

  @Test
  void itFollowsTheNetworkSlowly() {
    rate.learn(MEBIBYTE, 8 * MEBIBYTE);
    assertEquals(80, rate.nanos(10), 1e-9);
    rate.learn(MEBIBYTE, 16 * MEBIBYTE);
    assertEquals(90, rate.nanos(10), 1e-9);
  }
}
