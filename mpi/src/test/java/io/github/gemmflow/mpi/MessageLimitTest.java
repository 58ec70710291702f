// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MessageLimitTest {
  @AfterEach
  void clear() {
    System.clearProperty(MessageLimit.PROPERTY);
  }

  @Test
  void itIsOneGibUnlessLowered() {
    assertEquals(1L << 30, MessageLimit.get());
    System.setProperty(MessageLimit.PROPERTY, "1048576");
    assertEquals(1 << 20, MessageLimit.get());
  }

  @Test
  void whatIsNoSizeIsNamed() {
    for (String bad : new String[] {"0", "-1", "2147483648", "1m", ""}) {
      System.setProperty(MessageLimit.PROPERTY, bad);
      IllegalArgumentException e = assertThrows(IllegalArgumentException.class, MessageLimit::get);
      assertEquals(
          "gemmflow.mpi.message.limit=%s: expected a number of bytes from 1 to 1073741824"
              .formatted(bad),
          e.getMessage());
    }
  }
}
