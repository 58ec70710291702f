// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.gemmflow.matrix.DType;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
        "tried.gather.512.64.4.4: 'ring 28672' is not of the form NAME BYTES NANOSECONDS, NAME BYTES NANOSECONDS",
        GOOD + "tried.gather.512.64.4.4 = ring 28672\n");
    assertRefused(
        "tried.gather.512.64.4.4: '0' is not a whole number from 1 to 9007199254740992",
        GOOD + "tried.gather.512.64.4.4 = ring 0 1, mesh 1 2\n");
  }

  /** As {@code gemmflow tune} writes it if only one way was tried. */
  @Test
  void theRulesChoiceMayBeTheRunnerUp() {
    String line = "tried.gather.512.64.4.4 = ring 28672 1, rule 57344 2\n";
    CostModel read = CostText.read(GOOD + line);
    assertEquals("rule", read.tried().values().iterator().next().next().name());
    assertRefused(
        "tried.gather.512.64.4.4: 'rule' is not one of [mesh, ring, two-way-ring]",
        GOOD + "tried.gather.512.64.4.4 = rule 57344 1, ring 28672 2\n");
  }

  @Test
  void stepsThatCannotHaveBeenTriedAreRefused() {
    assertRefused(
        "tried.gather.512.64.4.4: 'rnig' is not one of [mesh, ring, two-way-ring]",
        GOOD + "tried.gather.512.64.4.4 = rnig 1 1, mesh 1 2\n");
    assertRefused(
        "tried.reduce-scatter.512.64.4.4: 'staged' is not one of [direct]",
        GOOD + "tried.reduce-scatter.512.64.4.4 = staged 1 1, direct 1 2\n");
    assertRefused(
        "tried.all-reduce.512.64.4.4: 'mesh' is not one of [direct, staged, rule]",
        GOOD + "tried.all-reduce.512.64.4.4 = direct 1 1, mesh 1 2\n");
    assertRefused(
        "tried.gather.512.64.4.4: '1.5' is not a whole number from 1 to 9007199254740992",
        GOOD + "tried.gather.512.64.4.4 = ring 1.5 1, mesh 1 2\n");
    assertRefused(
        "tried.gather.512.64.4.4: the time of ring cannot be Infinity",
        GOOD + "tried.gather.512.64.4.4 = ring 1 Infinity, mesh 1 2\n");
    String ways = " = direct 1 1, direct 2 2\n";
    assertRefused(
        "tried.gather.512.64.4.x: 'x' is not a number", GOOD + "tried.gather.512.64.4.x" + ways);
    for (String key :
        List.of("sum.512.64.4.4", "gather.512.64.4", "gather.512.65.4.4", "gather.0512.64.4.4")) {
      assertRefused(
          "'tried."
              + key
              + "' is not of the form tried.OPERATION.ROWBYTES.ROWS.RANKS.HOSTS with an operation of [all-reduce, gather, reduce-scatter] and a power of two as ROWS",
          GOOD + "tried." + key + ways);
    }
  }

  @Test
  void productsOfAnotherFormAreRefused() {
    for (String name :
        List.of("product.BF16", "product.F32.4194304.extra", "product.BF61.4194304", "product.")) {
      assertRefused(
          "'"
              + name
              + " = 1:1' is not of the form product.TYPE.ELEMENTS = ROWS:NANOSECONDS ... with a type of [BF16, F16, F32, I8]",
          GOOD + name + " = 1:1\n");
    }
    assertRefused(
        "product.F32.0: '0' is not a whole number from 1 to 9007199254740992",
        GOOD + "product.F32.0 = 1:1\n");
    assertRefused(
        "product.F32.9: '1.5' is not a whole number from 1 to 9007199254740992",
        GOOD + "product.F32.9 = 1.5:1\n");
    assertRefused(
        "product.F32.9: the time of 2 rows cannot be NaN", GOOD + "product.F32.9 = 1:1 2:NaN\n");
  }

  @Test
  void whatIsGivenTwiceIsRefused() {
    int lines = (int) GOOD.lines().count();
    assertRefused(
        "line %d: 'cores = 2', but an earlier line has cores = 1: remove one of them"
            .formatted(lines + 1),
        GOOD + "cores = 2\n");
    assertRefused(
        "product.F32.9e0: another line has as many elements: remove one of them",
        GOOD + "product.F32.9 = 1:1\nproduct.F32.9e0 = 1:1\n");
    assertRefused(
        "product.F32.9: '1:3' is a second time of 1 rows: remove one of them",
        GOOD + "product.F32.9 = 1:2 1:3\n");
  }

  @Test
  void threadsAndCoresAreWholeNumbers() {
    for (String value : List.of("1.9", "1e99", "0", "-1", "NaN", "2147483648")) {
      for (String name : List.of("threads", "cores")) {
        assertRefused(
            "%s: '%s' is not a whole number from 1 to 2147483647".formatted(name, value),
            GOOD.replaceAll("\n" + name + " = .*", "\n" + name + " = " + value));
      }
    }
  }

  /** A file may have products of all types that matrices have. */
  @Test
  void thereAreAssumedCostsOfEachType() {
    assertEquals(
        Stream.of(DType.values()).map(DType::toString).collect(Collectors.toSet()),
        CostModel.ASSUMED.kernels().keySet());
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
        "'wake.ns' is missing: write the file again with gemmflow calibrate",
        GOOD.replaceAll("wake.ns.*\n", ""));
    assertRefused(
        "unknown names [colour]: was the file written by another version?",
        GOOD + "colour = red\n");
    assertRefused(
        "step.ns: 'soon' is not a number", GOOD.replaceAll("\nstep.ns.*", "\nstep.ns = soon"));
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
