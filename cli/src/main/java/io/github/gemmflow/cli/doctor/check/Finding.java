// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.check;

import java.util.List;

/**
 * Result of one check.
 *
 * @param name what was looked at
 * @param text what is so
 * @param fixes what to do about it, any one of these; none if all is well
 */
public record Finding(String name, Status status, String text, List<String> fixes) {
  public static Finding ok(String name, String text) {
    return new Finding(name, Status.OK, text, List.of());
  }

  public static Finding warning(String name, String text, String... fixes) {
    return new Finding(name, Status.WARNING, text, List.of(fixes));
  }

  public static Finding problem(String name, String text, String... fixes) {
    return new Finding(name, Status.PROBLEM, text, List.of(fixes));
  }

  /** The same with another text. */
  public Finding withText(String other) {
    return new Finding(name, status, other, fixes);
  }
}
