// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.step;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class StepNumbersTest {
  @Test
  void numbersGoOnFromStepToStep() {
    StepNumbers numbers = new StepNumbers(2);
    assertEquals(2, numbers.things());
    long[] first = new long[2];
    numbers.begin(first);
    numbers.add(0, 3);
    numbers.add(1, 5);
    long[] second = new long[2];
    numbers.begin(second);
    numbers.add(0, 1);
    assertArrayEquals(new long[] {0, 0}, first, "the step before keeps its numbers");
    assertArrayEquals(new long[] {3, 5}, second);
    numbers.begin(first);
    assertArrayEquals(new long[] {4, 5}, first, "a step without a thing leaves its number");
  }
}
