// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** Costs as text: what is written is read again, and what is wrong is said. */
class CostTextTest {
  private static final String GOOD = CostText.write(CostModel.ASSUMED);

  private static void assertRefused(String message, String text) {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> CostText.read(text));
    assertEquals(message, e.getMessage());
  }

  @Test
  void whatIsWrittenIsReadAgain() {
    CostModel read = CostText.read(GOOD);
    assertEquals(GOOD, CostText.write(read));
    assertEquals(
        CostModel.ASSUMED.kernel("F32").nanos(64, 4096, 4096),
        read.kernel("F32").nanos(64, 4096, 4096),
        1e4);
  }

  @Test
  void whatWasTriedIsReadAgain() {
    TriedStep step =
        new TriedStep(
            new TriedStep.Way("ring", 28_672, 1.25e6), new TriedStep.Way("mesh", 57_344, 1.5e6));
    CostModel tried = CostModel.ASSUMED.withTried("gather.512.64.4.4", step);
    String text = CostText.write(tried);
    assertEquals(step, CostText.read(text).tried().get("gather.512.64.4.4"), text);
    assertEquals(text, CostText.write(CostText.read(text)));
    assertEquals(GOOD, CostText.write(tried.withoutTried("gather.512.64.4.4")));
    assertRefused(
        "tried.gather.512.64.4.4: 'ring 28672' is not two ways with their bytes and nanoseconds",
        GOOD + "tried.gather.512.64.4.4 = ring 28672\n");
    assertRefused(
        "a step cannot have gone ring with chunks of 0 bytes in 1.0 ns",
        GOOD + "tried.gather.512.64.4.4 = ring 0 1, mesh 1 2\n");
  }

  /** Of 33 to 64 rows, of 65 to 128, and so on. */
  @Test
  void whatWasTriedHoldsForAboutAsManyRows() {
    assertEquals("gather.512.64.4.2", TriedStep.key("gather", 512, 33, 4, 2));
    assertEquals("gather.512.64.4.2", TriedStep.key("gather", 512, 64, 4, 2));
    assertEquals("gather.512.128.4.2", TriedStep.key("gather", 512, 65, 4, 2));
    assertEquals("gather.512.1.4.2", TriedStep.key("gather", 512, 1, 4, 2));
    assertEquals("gather.512.1.4.2", TriedStep.key("gather", 512, 0, 4, 2));
  }

  @Test
  void otherCostsHaveAnotherHash() {
    CostModel other = CostModel.ASSUMED.withLink(LinkCosts.of(60e3, 10e9));
    assertNotEquals(CostText.hash(CostModel.ASSUMED), CostText.hash(other));
    assertEquals(CostText.hash(CostModel.ASSUMED), CostText.hash(CostText.read(GOOD)));
  }

  @Test
  void whatIsWrongIsSaid() {
    assertRefused(
        "'wake.ns' is missing: write the file anew with gemmflow calibrate",
        GOOD.replaceAll("wake.ns.*\n", ""));
    assertRefused(
        "nothing is known of [colour]: is the file of another version?", GOOD + "colour = red\n");
    assertRefused(
        "step.ns: 'soon' is no number", GOOD.replaceAll("\nstep.ns.*", "\nstep.ns = soon"));
    assertRefused(
        "the cost of a step cannot be 0.0", GOOD.replaceAll("\nstep.ns.*", "\nstep.ns = 0"));
    assertRefused(
        "a link's latency cannot be NaN", GOOD.replaceAll("latency.ns.*", "latency.ns = NaN"));
    assertRefused(
        "line 2: 'origin' is not of the form name = value", GOOD.replaceAll("origin.*", "origin"));
    assertRefused(
        "product.I8.4194304: '1' is not of the form rows:nanoseconds",
        GOOD.replaceAll("product.I8.*", "product.I8.4194304 = 1"));
    assertRefused("the costs have no product of any type", GOOD.replaceAll("product.*\n", ""));
  }

  @Test
  void aTypeThatWasNotMeasuredIsNamed() {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> CostModel.ASSUMED.kernel("F64"));
    assertEquals(
        "the costs have no products of F64, only of [BF16, F16, F32, I8]: measure them with gemmflow calibrate",
        e.getMessage());
  }
}
