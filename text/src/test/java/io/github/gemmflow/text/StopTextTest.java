// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class StopTextTest {
  @Test
  void whatMayBeTheBeginningOfAStopIsHeldBack() {
    StopText stop = new StopText(List.of("END", "\n\n"));
    assertEquals("a", stop.add("a\n"));
    assertEquals("\nb", stop.add("bEN"));
    assertEquals("ENE", stop.add("EEN").substring(0, 3));
    assertEquals("", stop.add("D and more"));
    assertTrue(stop.isFound());
    assertEquals("", stop.end());
    StopText other = new StopText(List.of("END"));
    assertEquals("x", other.add("xEN"));
    assertEquals("EN", other.end());
  }
}
