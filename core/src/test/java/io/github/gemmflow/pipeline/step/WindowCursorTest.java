// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.step;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class WindowCursorTest {
  @Test
  void regionsFollowEachOtherAligned() {
    WindowCursor cursor = new WindowCursor();
    assertEquals(0, cursor.take(100, WindowCursor.PAGE));
    assertEquals(128, cursor.take(10, WindowCursor.LINE));
    assertEquals(4096, cursor.take(0, WindowCursor.PAGE));
    assertEquals(4096, cursor.take(1, WindowCursor.PAGE));
    assertEquals(8192, cursor.end());
  }

  @Test
  void aWindowLargerThanAnyMemoryIsRefused() {
    WindowCursor cursor = new WindowCursor();
    cursor.take(Long.MAX_VALUE - 100, 1);
    assertThrows(ArithmeticException.class, () -> cursor.take(200, 1));
    assertThrows(ArithmeticException.class, () -> WindowCursor.roundUp(Long.MAX_VALUE, 4096));
  }
}
