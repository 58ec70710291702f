// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.software;

import io.github.gemmflow.cli.doctor.check.Finding;
import io.github.gemmflow.cli.doctor.check.Machine;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Check that OpenMP, which comes with oneDNN, was not told to bind threads. It does so when it is
 * loaded: to the first place that it may use, in every rank. How many threads it may start does not
 * matter, for each product runs on the thread that asks for it.
 */
public final class OpenMpCheck {
  public static final String NAME = "OpenMP";

  private static final Pattern VARIABLES = Pattern.compile("(OMP|GOMP|KMP)_.+");

  /** Those that bind. */
  private static final List<String> BINDERS =
      List.of("OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY");

  private OpenMpCheck() {}

  /**
   * Compares the cores of the thread that loads oneDNN.
   *
   * @param before those that it could run on at first
   * @param after those that it could run on afterwards
   */
  public static Finding look(Machine machine, String before, String after) {
    String set =
        new TreeMap<>(machine.environment())
            .entrySet().stream()
                .filter(variable -> VARIABLES.matcher(variable.getKey()).matches())
                .map(variable -> variable.getKey() + "=" + variable.getValue())
                .collect(Collectors.joining(" "));
    if (!before.equals(after)) {
      return Finding.problem(
          NAME,
          "%s: the thread that loads oneDNN, and all threads that it starts, may run on %s only, of cores %s"
              .formatted(set, after, before),
          "unset "
              + BINDERS.stream()
                  .filter(machine.environment()::containsKey)
                  .collect(Collectors.joining(" ")),
          "export OMP_PROC_BIND=false");
    }
    return Finding.ok(
        NAME,
        set.isEmpty() ? "none set" : set + ": no effect, because products use no OpenMP threads");
  }
}
