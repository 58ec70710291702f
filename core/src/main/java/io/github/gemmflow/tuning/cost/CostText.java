// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning.cost;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Text form of a {@link CostModel}: a line for each cost, {@code name = value}. What a reader does
 * not know is an error: a cost that is misspelt must not be left out in silence.
 */
public final class CostText {
  private static final String KERNEL = "product.";
  private static final String TRIED = "tried.";

  private CostText() {}

  /** Writes costs. */
  public static String write(CostModel costs) {
    StringBuilder text =
        new StringBuilder("# Costs that gemmflow predicts the time of steps by.\n");
    line(text, "origin", costs.origin());
    line(text, "machine", costs.machine());
    line(text, "threads", Integer.toString(costs.threads()));
    line(text, "cores", Integer.toString(costs.cores()));
    line(text, "link.latency.ns", number(costs.link().latencyNanos()));
    line(text, "link.byte.ns", number(costs.link().nanosPerByte()));
    line(text, "step.ns", number(costs.host().stepNanos()));
    line(text, "wake.ns", number(costs.host().wakeNanos()));
    line(text, "message.ns", number(costs.host().messageNanos()));
    line(text, "carry.byte.ns", number(costs.host().carryNanosPerByte()));
    line(text, "add.byte.ns", number(costs.host().addNanosPerByte()));
    text.append(
        "# Time of a product on these threads in ns, by elements of the weights and rows.\n");
    new TreeMap<>(costs.kernels())
        .forEach(
            (type, kernel) -> {
              for (long size : kernel.sizes()) {
                StringBuilder value = new StringBuilder();
                kernel
                    .ofSize(size)
                    .forEach((rows, nanos) -> value.append(rows + ":" + number(nanos)).append(' '));
                line(text, KERNEL + type + "." + size, value.toString().strip());
              }
            });
    new TreeMap<>(costs.tried())
        .forEach(
            (key, step) -> line(text, TRIED + key, way(step.best()) + ", " + way(step.next())));
    return text.toString();
  }

  private static String way(TriedStep.Way way) {
    return "%s %d %s".formatted(way.name(), way.chunkBytes(), number(way.nanos()));
  }

  /** What tells costs from others, in messages. */
  public static String hash(CostModel costs) {
    return Integer.toHexString(write(costs).hashCode());
  }

  private static void line(StringBuilder text, String name, String value) {
    text.append(name).append(" = ").append(value).append('\n');
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.5g", value);
  }

  /**
   * Reads costs.
   *
   * @throws IllegalArgumentException if something is missing, unknown or no number; says what
   */
  public static CostModel read(String text) {
    Map<String, String> values = new LinkedHashMap<>();
    int number = 0;
    for (String line : text.split("\n", -1)) {
      number++;
      String plain = line.strip();
      if (plain.isEmpty() || plain.startsWith("#")) {
        continue;
      }
      int at = plain.indexOf('=');
      if (at < 0) {
        throw new IllegalArgumentException(
            "line %d: '%s' is not of the form name = value".formatted(number, plain));
      }
      values.put(plain.substring(0, at).strip(), plain.substring(at + 1).strip());
    }
    CostModel costs =
        new CostModel(
            take(values, "origin"),
            take(values, "machine"),
            (int) takeNumber(values, "threads"),
            (int) takeNumber(values, "cores"),
            new LinkCosts(
                takeNumber(values, "link.latency.ns"), takeNumber(values, "link.byte.ns")),
            new HostCosts(
                takeNumber(values, "step.ns"),
                takeNumber(values, "wake.ns"),
                takeNumber(values, "message.ns"),
                takeNumber(values, "carry.byte.ns"),
                takeNumber(values, "add.byte.ns")),
            takeKernels(values),
            takeTried(values));
    if (!values.isEmpty()) {
      throw new IllegalArgumentException(
          "nothing is known of %s: is the file of another version?".formatted(values.keySet()));
    }
    return costs;
  }

  private static String take(Map<String, String> values, String name) {
    String value = values.remove(name);
    if (value == null) {
      throw new IllegalArgumentException(
          "'%s' is missing: write the file anew with gemmflow calibrate".formatted(name));
    }
    return value;
  }

  private static double takeNumber(Map<String, String> values, String name) {
    return number(name, take(values, name));
  }

  private static double number(String name, String value) {
    try {
      return Double.parseDouble(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("%s: '%s' is no number".formatted(name, value), e);
    }
  }

  private static Map<String, KernelCosts> takeKernels(Map<String, String> values) {
    Map<String, Map<Long, Map<Long, Double>>> tables = new TreeMap<>();
    values.forEach(
        (name, value) -> {
          String[] parts = name.split("\\.", -1);
          if (name.startsWith(KERNEL) && parts.length == 3) {
            tables
                .computeIfAbsent(parts[1], type -> new TreeMap<>())
                .put((long) number(name, parts[2]), heights(name, value));
          }
        });
    values.keySet().removeIf(name -> name.startsWith(KERNEL));
    Map<String, KernelCosts> kernels = new TreeMap<>();
    tables.forEach((type, table) -> kernels.put(type, new KernelCosts(table)));
    return kernels;
  }

  private static Map<String, TriedStep> takeTried(Map<String, String> values) {
    Map<String, TriedStep> tried = new TreeMap<>();
    values.forEach(
        (name, value) -> {
          if (name.startsWith(TRIED)) {
            String[] words = value.split("[ ,]+", -1);
            if (words.length != 6) {
              throw new IllegalArgumentException(
                  "%s: '%s' is not two ways with their bytes and nanoseconds"
                      .formatted(name, value));
            }
            tried.put(
                name.substring(TRIED.length()),
                new TriedStep(way(name, words, 0), way(name, words, 3)));
          }
        });
    values.keySet().removeIf(name -> name.startsWith(TRIED));
    return tried;
  }

  private static TriedStep.Way way(String name, String[] words, int at) {
    return new TriedStep.Way(
        words[at], (long) number(name, words[at + 1]), number(name, words[at + 2]));
  }

  private static Map<Long, Double> heights(String name, String value) {
    Map<Long, Double> byRows = new TreeMap<>();
    for (String entry : value.split(" +", -1)) {
      int at = entry.indexOf(':');
      if (at < 0) {
        throw new IllegalArgumentException(
            "%s: '%s' is not of the form rows:nanoseconds".formatted(name, entry));
      }
      byRows.put(
          (long) number(name, entry.substring(0, at)), number(name, entry.substring(at + 1)));
    }
    return byRows;
  }
}
