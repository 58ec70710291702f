// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.model;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kit.Cases;
import io.github.gemmflow.kit.Draw;
import io.github.gemmflow.model.Explorer.Violation;
import io.github.gemmflow.model.HeaderModel.Flaw;
import io.github.gemmflow.model.HeaderModel.StepCase;
import io.github.gemmflow.tuning.Hosts;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * No order of events, and no place where a communication thread stops, leads to rows of one step in
 * another, to a header taken for another, or to a deadlock.
 */
class HeaderModelTest {
  private static final Hosts TWO_HOSTS = Hosts.of(0, 1);
  private static final Hosts THREE_RANKS = Hosts.of(0, 0, 1);

  private static Explorer explore(Hosts hosts, StepCase[] steps, int stopping, Flaw flaw) {
    Explorer explorer = new Explorer(new HeaderModel(hosts, steps, stopping, flaw));
    explorer.run();
    return explorer;
  }

  /** A step with small rows of one rank only, which waits for no other rank. */
  private static StepCase rowsOf(int rank, int ranks) {
    Set<Integer> knowing = IntStream.range(0, ranks).boxed().collect(Collectors.toSet());
    return new StepCase(Set.of(rank), knowing, true);
  }

  private static StepCase draw(Draw draw, int ranks) {
    return new StepCase(drawRanks(draw, ranks), drawRanks(draw, ranks), draw.chance(0.7));
  }

  private static Set<Integer> drawRanks(Draw draw, int ranks) {
    return IntStream.range(0, ranks)
        .filter(_ -> draw.chance(0.6))
        .boxed()
        .collect(Collectors.toSet());
  }

  private static StepCase[] alike(int steps, StepCase step) {
    StepCase[] cases = new StepCase[steps];
    Arrays.fill(cases, step);
    return cases;
  }

  @Test
  void aRankThatWaitsForNobodyStaysInOrder() {
    Explorer explorer = explore(TWO_HOSTS, alike(3, rowsOf(0, 2)), 0, Flaw.NONE);
    System.out.printf("HeaderModelTest: 3 steps of 2 ranks: %d states%n", explorer.states());
    assertTrue(explorer.states() > 1_000, "it went nowhere");
    explorer = explore(THREE_RANKS, alike(2, rowsOf(0, 3)), 0, Flaw.NONE);
    System.out.printf("HeaderModelTest: 2 steps of 3 ranks: %d states%n", explorer.states());
    assertTrue(explorer.states() > 10_000, "it went nowhere");
  }

  @Test
  void everyMixOfStepsStaysInOrder() {
    Cases.run(
        getClass(),
        Cases.shortOrSoak(5, 40),
        seed -> {
          Draw draw = new Draw(seed);
          boolean three = draw.chance(0.3);
          Hosts hosts = three ? THREE_RANKS : TWO_HOSTS;
          StepCase[] steps = new StepCase[three ? 2 : 3];
          Arrays.setAll(steps, _ -> draw(draw, hosts.ranks()));
          int states = explore(hosts, steps, draw.below(hosts.ranks()), Flaw.NONE).states();
          System.out.printf("HeaderModelTest: %s: %d states%n", hosts, states);
        });
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void aFlawIsFound(Flaw flaw) {
    int stopping = flaw == Flaw.PUBLISH_IN_ANY_ORDER ? 1 : 0;
    StepCase[] steps = alike(3, rowsOf(stopping, 2));
    Violation found =
        assertThrows(Violation.class, () -> explore(TWO_HOSTS, steps, stopping, flaw));
    System.out.println("HeaderModelTest: " + flaw + ": " + found.getMessage());
    String expected =
        switch (flaw) {
          case HEADER_OVERTAKES -> "takes the header of step";
          case PUBLISH_IN_ANY_ORDER -> "the headers of rank 0 go back";
          default -> "they are those of step";
        };
    assertTrue(found.toString().contains(expected), found::toString);
  }
}
