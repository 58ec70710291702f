// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.step;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class StepNumbersTest {
  @Test
  void numbersGoOnFromStepToStep() {
    StepNumbers numbers = new StepNumbers(2);
    numbers.begin(0);
    numbers.add(0, 3);
    numbers.add(1, 5);
    numbers.begin(1);
    numbers.add(0, 1);
    assertEquals(0, numbers.first(0, 1), "the step before keeps its numbers");
    assertEquals(3, numbers.first(1, 0));
    assertEquals(5, numbers.first(1, 1));
    numbers.begin(0);
    assertEquals(4, numbers.first(0, 0));
    assertEquals(5, numbers.first(0, 1), "a step without a thing leaves its number");
  }
}
