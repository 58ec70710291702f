// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NumberListTest {
  @ParameterizedTest
  @CsvSource({
    "'', '', 0",
    "0, 0, 1",
    "0-3, 0-3, 4",
    "'8,0-3\n', '0-3,8', 5",
    "'0,1,2,7', '0-2,7', 4",
    "'0-59,120-179', '0-59,120-179', 120"
  })
  void readAndWritten(String text, String written, int size) {
    NumberList list = NumberList.parse(text);
    assertEquals(written, list.toString());
    assertEquals(size, list.size());
  }

  @Test
  void thoseInBoth() {
    assertEquals(
        List.of(2, 3, 8), NumberList.parse("0-3,8-9").in(NumberList.parse("2-8")).numbers());
  }
}
