// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.step;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.window.Counters;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

class NewsTest {
  private final Counters counters = new Counters(Arena.ofAuto().allocate(Counters.bytes(4)), 0);
  private final News news = new News(counters, 1, 2);

  @Test
  void whoeverTellsItCounts() {
    long before = news.total();
    news.tell(0);
    long first = news.total();
    news.tell(1);
    assertTrue(before < first && first < news.total());
  }

  @Test
  void countersOfOthersDoNot() {
    counters.publish(0, 7);
    counters.publish(3, 7);
    assertEquals(0, news.total());
  }
}
