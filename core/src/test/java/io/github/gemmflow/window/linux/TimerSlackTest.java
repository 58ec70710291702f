// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.window.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

class TimerSlackTest {
  private final TimerSlack slack = TimerSlack.load();

  @Test
  void itIsThatOfOneThread() throws Exception {
    long before = slack.ofCaller();
    FutureTask<Long> set =
        new FutureTask<>(
            () -> {
              slack.setOfCaller(1_000);
              return slack.ofCaller();
            });
    Thread.ofPlatform().start(set);
    assertEquals(1_000, set.get());
    assertEquals(before, slack.ofCaller());
  }
}
