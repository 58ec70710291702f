// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.calibrate;

import java.util.concurrent.SynchronousQueue;

/** Time until a thread that sleeps goes on. */
final class WakeTime {
  private static final int TIMES = 2000;

  private WakeTime() {}

  static double nanos() {
    SynchronousQueue<Integer> there = new SynchronousQueue<>();
    SynchronousQueue<Integer> back = new SynchronousQueue<>();
    Thread other =
        Thread.ofPlatform()
            .daemon()
            .name("gemmflow-calibrate")
            .start(
                () -> {
                  try {
                    for (int i = 0; i < TIMES; i++) {
                      back.put(there.take());
                    }
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
    try {
      long begin = System.nanoTime();
      for (int i = 0; i < TIMES; i++) {
        there.put(i);
        back.take();
      }
      double nanos = (System.nanoTime() - begin) / 2.0 / TIMES;
      other.join();
      return nanos;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waking threads", e);
    }
  }
}
