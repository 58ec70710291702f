// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.bench;

import io.github.gemmflow.json.Json;
import io.github.gemmflow.measure.Counted;
import io.github.gemmflow.measure.Machine;
import io.github.gemmflow.measure.MedianInterval;
import io.github.gemmflow.measure.Millis;
import io.github.gemmflow.measure.Rounds;
import io.github.gemmflow.measure.Samples;
import io.github.gemmflow.measure.layer.Operation;
import io.github.gemmflow.tuning.Explanation;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Result of timing a gather.
 *
 * @param plan what was decided
 * @param measured in place, copied out, and in place again
 */
public record GatherResult(
    GatherBenchmark benchmark,
    int ranks,
    int hosts,
    String engine,
    Explanation plan,
    Rounds.Measured measured)
    implements Outcome {
  private static final String LINE = "%-22s%12s  %26s  %14s%n";
  private static final String ROW = "%8s%8s  %12s%12s%14s%n";

  private double[] inPlace() {
    return measured.slowest().get(0);
  }

  private double[] copied() {
    return measured.slowest().get(1);
  }

  /** The gather in place against itself. */
  private MedianInterval control() {
    return MedianInterval.of(Samples.ratios(measured.slowest().get(2), inPlace()));
  }

  @Override
  public boolean verified() {
    return measured.verified();
  }

  @Override
  public String where() {
    return "all-gather %s along %s, %s on %s, %s%n"
        .formatted(
            benchmark.type(),
            along(),
            Counted.of(ranks, "rank"),
            Counted.of(hosts, "host"),
            engine);
  }

  private String along() {
    return benchmark.alongColumns() ? "columns" : "rows";
  }

  @Override
  public String heading() {
    return ROW.formatted("M", "K", "in place", "copied out", "of A");
  }

  @Override
  public String row() {
    return ROW.formatted(
        benchmark.m(),
        benchmark.k(),
        Millis.text(Samples.quantile(inPlace(), 0.5)),
        Millis.text(Samples.quantile(copied(), 0.5)),
        rate(inPlace()));
  }

  @Override
  public String text() {
    StringBuilder text = new StringBuilder(where());
    text.append(
        String.format(
            Locale.ROOT, "%d x %d, %,d bytes%n", benchmark.m(), benchmark.k(), benchmark.bytes()));
    text.append(measured.verdict(true)).append('\n');
    text.append(LINE.formatted("view", "median", "10th to 90th percentile", "of A"));
    text.append(line("read in place", inPlace())).append(line("copied out", copied()));
    text.append(
        String.format(
            Locale.ROOT,
            "%ncontrol (the gather in place against itself): %.2fx%n",
            control().median()));
    if (hosts > 1) {
      text.append(measured.traffic(bytesToCross()));
    }
    return text.append('\n').append(plan.brief()).toString();
  }

  private String line(String view, double[] times) {
    return LINE.formatted(
        view, Millis.text(Samples.quantile(times, 0.5)), Millis.spread(times), rate(times));
  }

  /** How much of A is there per second. */
  private String rate(double[] times) {
    double millis = Samples.quantile(times, 0.5);
    return String.format(Locale.ROOT, "%.2f GB/s", benchmark.bytes() / millis / 1e6);
  }

  private long bytesToCross() {
    return benchmark.bytes() * (hosts - 1);
  }

  @Override
  public String fileName() {
    return "all-gather-%s-%s-%dx%d-%d-ranks-on-%d.json"
        .formatted(along(), benchmark.type(), benchmark.m(), benchmark.k(), ranks, hosts);
  }

  @Override
  public String json() {
    Map<String, Object> shape = new LinkedHashMap<>();
    shape.put("m", benchmark.m());
    shape.put("k", benchmark.k());
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("operation", Operation.ALL_GATHER);
    all.put("along", along());
    all.put("shape", shape);
    all.put("dtype", benchmark.type());
    all.put("ranks", ranks);
    all.put("hosts", hosts);
    all.put("engine", engine);
    all.put("verified", verified());
    all.put("inPlace", Millis.figures(inPlace()));
    all.put("copied", Millis.figures(copied()));
    all.put("control", control().median());
    all.put("controlInterval", control().bounds());
    measured.putTraffic(all, bytesToCross());
    all.put("plan", plan.brief());
    all.put("machine", Machine.describe());
    all.put("date", Instant.now().truncatedTo(ChronoUnit.SECONDS));
    return Json.write(all);
  }
}
