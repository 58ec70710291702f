// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Explanation of how an operator works: what was decided, and why. {@link #toString} is for a
 * person.
 *
 * @param summary the problem, in one line
 * @param decisions each thing that was decided
 */
public record Explanation(String summary, List<Decision> decisions) {
  /**
   * A decision.
   *
   * @param about what was decided about, such as "schedule"
   * @param choice what was chosen, such as "ring"; empty where there is nothing to choose
   * @param reason why
   */
  public record Decision(String about, String choice, String reason) {
    @Override
    public String toString() {
      return "%s%s: %s".formatted(about, choice.isEmpty() ? "" : " " + choice, reason);
    }
  }

  public Explanation {
    decisions = List.copyOf(decisions);
  }

  /** What was chosen about something, such as "schedule"; empty if nothing was. */
  public String choice(String about) {
    return decisions.stream()
        .filter(decision -> decision.about.equals(about))
        .map(Decision::choice)
        .findFirst()
        .orElse("");
  }

  /** What was decided, without reasons, in two lines for a person. */
  public String brief() {
    return decisions.stream()
        .filter(decision -> !decision.choice.isEmpty())
        .map(decision -> decision.about + " " + decision.choice)
        .collect(Collectors.joining(", ", summary + "\n", "\n"));
  }

  @Override
  public String toString() {
    return decisions.stream()
        .map(Decision::toString)
        .collect(Collectors.joining("\n", summary + "\n", "\n"));
  }
}
