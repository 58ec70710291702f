// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.software;

import io.github.gemmflow.cli.doctor.check.Finding;
import io.github.gemmflow.cli.doctor.check.Machine;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Check of the settings of Gemmflow that were made: whether they exist, and whether their values
 * are valid.
 */
public final class SettingsCheck {
  public static final String NAME = "Settings";

  /** All that docs/settings.md lists. */
  static final List<String> KNOWN =
      List.of(
          "gemmflow.deadline",
          "gemmflow.product.deadline",
          "gemmflow.setup.deadline",
          "gemmflow.threads",
          "gemmflow.pin",
          "gemmflow.idle",
          "gemmflow.schedule",
          "gemmflow.overlap",
          "gemmflow.storage",
          "gemmflow.sums",
          "gemmflow.slots",
          "gemmflow.costs",
          "gemmflow.chunk.rows",
          "gemmflow.chunk.bytes",
          "gemmflow.inflight",
          "gemmflow.engine",
          "gemmflow.kernel",
          "gemmflow.window.directory",
          "gemmflow.onednn.library",
          "gemmflow.mpi.library",
          "gemmflow.mpi.message.limit");

  private SettingsCheck() {}

  /**
   * Looks at all of them.
   *
   * @param refused why their values cannot be used; empty if they can
   */
  public static Finding look(Machine machine, String refused) {
    Map<String, String> made = new TreeMap<>();
    collect(made, machine.properties(), "gemmflow.", "-D");
    collect(made, machine.environment(), "GEMMFLOW_", "");
    if (made.isEmpty()) {
      return Finding.ok(NAME, "none: all defaults");
    }
    String text =
        made.entrySet().stream()
            .map(setting -> setting.getKey() + "=" + setting.getValue())
            .collect(Collectors.joining(" "));
    List<String> unknown = made.keySet().stream().filter(name -> !isKnown(name)).toList();
    String misspelt = unknown.isEmpty() ? "" : "unknown setting " + String.join(", ", unknown);
    String instead =
        unknown.stream()
            .map(name -> "%s instead of %s".formatted(nearest(name), name))
            .collect(Collectors.joining("; "));
    if (!refused.isEmpty()) {
      String remedy = "change or remove it";
      return unknown.isEmpty()
          ? Finding.problem(NAME, refused, remedy)
          : Finding.problem(
              NAME, "%s; %s".formatted(refused, misspelt), "%s; %s".formatted(remedy, instead));
    }
    return unknown.isEmpty()
        ? Finding.ok(NAME, text)
        : Finding.warning(NAME, "%s: %s".formatted(text, misspelt), instead);
  }

  private static void collect(
      Map<String, String> made, Map<String, String> all, String start, String mark) {
    all.forEach(
        (name, value) -> {
          if (name.startsWith(start)) {
            made.put(mark + name, value);
          }
        });
  }

  private static boolean isKnown(String name) {
    return KNOWN.stream().anyMatch(known -> spelled(known, name).equals(name));
  }

  private static String nearest(String name) {
    return KNOWN.stream()
        .map(known -> spelled(known, name))
        .min(Comparator.comparingInt(known -> distance(known, name)))
        .orElseThrow();
  }

  /** A setting as a property or a variable, whichever another one is. */
  private static String spelled(String property, String like) {
    return like.startsWith("-D")
        ? "-D" + property
        : property.toUpperCase(Locale.ROOT).replace('.', '_');
  }

  /** Levenshtein's: how many letters must be put in, left out or changed. */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int changed = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(changed, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }
}
