// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning.cost;

import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.SumPath;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Text form of a {@link CostModel}: a line for each cost, {@code name = value}. What a reader does
 * not know is an error: a cost that is misspelt must not be left out in silence.
 */
public final class CostText {
  private static final String KERNEL = "product.";
  private static final String TRIED = "tried.";

  /** Up to here all whole numbers are doubles. */
  private static final long MOST = 1L << 53;

  /** The types that products can have: there are assumed costs of each. */
  private static final Set<String> TYPES = new TreeSet<>(CostModel.ASSUMED.kernels().keySet());

  /** The ways that a step can be tried in, by its operation. */
  private static final Map<String, List<String>> WAYS =
      new TreeMap<>(
          Map.of(
              "gather",
              Schedule.ALL.stream().map(Schedule::name).toList(),
              "reduce-scatter",
              List.of(SumPath.DIRECT.toString()),
              "all-reduce",
              Stream.of(SumPath.values()).map(SumPath::toString).toList()));

  private CostText() {}

  /** Writes costs. */
  public static String write(CostModel costs) {
    StringBuilder text = new StringBuilder("# Costs from which gemmflow predicts step times.\n");
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
   * @throws IllegalArgumentException if something is missing, unknown, given twice or no number;
   *     says what
   */
  public static CostModel read(String text) {
    Map<String, String> values = lines(text);
    CostModel costs =
        new CostModel(
            take(values, "origin"),
            take(values, "machine"),
            takeCount(values, "threads"),
            takeCount(values, "cores"),
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
          "unknown names %s: was the file written by another version?".formatted(values.keySet()));
    }
    return costs;
  }

  private static Map<String, String> lines(String text) {
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
      String name = plain.substring(0, at).strip();
      String before = values.put(name, plain.substring(at + 1).strip());
      if (before != null) {
        throw new IllegalArgumentException(
            "line %d: '%s', but an earlier line has %s = %s: remove one of them"
                .formatted(number, plain, name, before));
      }
    }
    return values;
  }

  private static String take(Map<String, String> values, String name) {
    String value = values.remove(name);
    if (value == null) {
      throw new IllegalArgumentException(
          "'%s' is missing: write the file again with gemmflow calibrate".formatted(name));
    }
    return value;
  }

  private static int takeCount(Map<String, String> values, String name) {
    return (int) whole(name, take(values, name), Integer.MAX_VALUE);
  }

  private static double takeNumber(Map<String, String> values, String name) {
    return number(name, take(values, name));
  }

  private static double number(String name, String value) {
    try {
      return Double.parseDouble(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("%s: '%s' is not a number".formatted(name, value), e);
    }
  }

  private static long whole(String name, String value, long most) {
    double number = number(name, value);
    if (number >= 1 && number <= most && number == Math.rint(number)) {
      return (long) number;
    }
    throw new IllegalArgumentException(
        "%s: '%s' is not a whole number from 1 to %d".formatted(name, value, most));
  }

  private static Map<String, KernelCosts> takeKernels(Map<String, String> values) {
    Map<String, Map<Long, Map<Long, Double>>> tables = new TreeMap<>();
    takeAll(values, KERNEL)
        .forEach(
            (name, value) -> {
              String[] parts = name.split("\\.", -1);
              if (parts.length != 3 || !TYPES.contains(parts[1])) {
                throw new IllegalArgumentException(
                    "'%s = %s' is not of the form product.TYPE.ELEMENTS = ROWS:NANOSECONDS ... with a type of %s"
                        .formatted(name, value, TYPES));
              }
              Map<Long, Double> before =
                  tables
                      .computeIfAbsent(parts[1], type -> new TreeMap<>())
                      .put(whole(name, parts[2], MOST), heights(name, value));
              if (before != null) {
                throw new IllegalArgumentException(
                    "%s: another line has as many elements: remove one of them".formatted(name));
              }
            });
    Map<String, KernelCosts> kernels = new TreeMap<>();
    tables.forEach((type, table) -> kernels.put(type, new KernelCosts(table)));
    return kernels;
  }

  private static Map<Long, Double> heights(String name, String value) {
    Map<Long, Double> byRows = new TreeMap<>();
    for (String entry : value.split(" +", -1)) {
      int at = entry.indexOf(':');
      if (at < 0) {
        throw new IllegalArgumentException(
            "%s: '%s' is not of the form rows:nanoseconds".formatted(name, entry));
      }
      long rows = whole(name, entry.substring(0, at), MOST);
      double nanos = number(name, entry.substring(at + 1));
      Costs.check("%s: the time of %d rows".formatted(name, rows), nanos);
      if (byRows.put(rows, nanos) != null) {
        throw new IllegalArgumentException(
            "%s: '%s' is a second time of %d rows: remove one of them"
                .formatted(name, entry, rows));
      }
    }
    return byRows;
  }

  private static Map<String, TriedStep> takeTried(Map<String, String> values) {
    Map<String, TriedStep> tried = new TreeMap<>();
    takeAll(values, TRIED)
        .forEach(
            (name, value) -> {
              String key = name.substring(TRIED.length());
              List<String> ways = ways(name, key);
              String[] words = value.split("[ ,]+", -1);
              if (words.length != 6) {
                throw new IllegalArgumentException(
                    "%s: '%s' is not of the form NAME BYTES NANOSECONDS, NAME BYTES NANOSECONDS"
                        .formatted(name, value));
              }
              List<String> next = new ArrayList<>(ways);
              next.add(TriedStep.BY_RULE);
              tried.put(key, new TriedStep(way(name, words, 0, ways), way(name, words, 3, next)));
            });
    return tried;
  }

  /** The ways that the step of a key may go. */
  private static List<String> ways(String name, String key) {
    String[] parts = key.split("\\.", -1);
    List<String> ways = WAYS.get(parts[0]);
    if (parts.length == 5 && ways != null) {
      String right =
          TriedStep.key(
              parts[0],
              whole(name, parts[1], MOST),
              whole(name, parts[2], MOST),
              (int) whole(name, parts[3], Integer.MAX_VALUE),
              (int) whole(name, parts[4], Integer.MAX_VALUE));
      if (right.equals(key)) {
        return ways;
      }
    }
    throw new IllegalArgumentException(
        "'%s' is not of the form tried.OPERATION.ROWBYTES.ROWS.RANKS.HOSTS with an operation of %s and a power of two as ROWS"
            .formatted(name, WAYS.keySet()));
  }

  private static TriedStep.Way way(String name, String[] words, int at, List<String> ways) {
    if (!ways.contains(words[at])) {
      throw new IllegalArgumentException(
          "%s: '%s' is not one of %s".formatted(name, words[at], ways));
    }
    double nanos = number(name, words[at + 2]);
    Costs.check("%s: the time of %s".formatted(name, words[at]), nanos);
    return new TriedStep.Way(words[at], whole(name, words[at + 1], MOST), nanos);
  }

  /** Removes and returns the lines whose names begin with something. */
  private static Map<String, String> takeAll(Map<String, String> values, String prefix) {
    Map<String, String> taken = new TreeMap<>(values);
    taken.keySet().removeIf(name -> !name.startsWith(prefix));
    values.keySet().removeAll(taken.keySet());
    return taken;
  }
}
