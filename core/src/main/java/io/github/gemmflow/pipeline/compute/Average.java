// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.compute;

/** Moving average of recent measurements. One thread at a time adds; any thread may ask. */
public final class Average {
  /** How many values count. */
  private static final int MEMORY = 8;

  private volatile double average;

  public void add(double value) {
    double before = average;
    average = before == 0 ? value : before + (value - before) / MEMORY;
  }

  /** 0 if nothing was measured yet. */
  public double get() {
    return average;
  }
}
