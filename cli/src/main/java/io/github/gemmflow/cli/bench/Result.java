// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.bench;

import io.github.gemmflow.tuning.Explanation;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Result of a benchmark; the same on all ranks.
 *
 * @param plan what was decided
 * @param flops operations of a rank in a step
 * @param bytesToCross what had to cross the links between hosts in a step
 * @param commCpuMillis the most CPU time that the communication thread of a rank took for a
 *     pipelined step
 * @param linkBytes what came into all hosts over their links in a pipelined step, on average
 * @param verified whether every rank's sequential and pipelined results are exactly right
 * @param recording a pipelined step; null if not asked for
 */
public record Result(
    LayerBenchmark benchmark,
    int ranks,
    int hosts,
    String engine,
    String kernel,
    String instructions,
    Explanation plan,
    double flops,
    long bytesToCross,
    Samples samples,
    double commCpuMillis,
    long linkBytes,
    boolean verified,
    @Nullable RecordedStep recording) {

  /** What the times show. */
  public Verdict verdict() {
    return Verdict.of(hosts, samples.speedup(), samples.control());
  }

  /** The verdict and a table, for a person. */
  public String text() {
    StringBuilder text = new StringBuilder();
    Layer.Size size = benchmark.size();
    text.append(
        "%s, %s on %s, %s, %s, kernel %s (%s)%n"
            .formatted(
                size,
                Counted.of(ranks, "rank"),
                Counted.of(hosts, "host"),
                Counted.of(benchmark.groups(), "group"),
                engine,
                kernel,
                instructions));
    text.append(verdict().text()).append('\n');
    text.append(verified ? "verified: exact on all ranks\n\n" : "NOT VERIFIED: wrong results\n\n");
    text.append(
        String.format(Locale.ROOT, ROW, "view", "median", "10th to 90th percentile", "per rank"));
    for (View view : View.values()) {
      double median = samples.quantile(view, 0.5);
      text.append(
          String.format(
              Locale.ROOT,
              ROW,
              view.words(),
              millis(median),
              millis(samples.quantile(view, 0.1)) + " to " + millis(samples.quantile(view, 0.9)),
              view == View.COMM_ONLY ? "" : gigaflops(median)));
    }
    if (hosts > 1) {
      text.append('\n').append(shares());
    }
    return text.append('\n').append(plan.brief()).toString();
  }

  private static final String ROW = "%-22s%12s  %26s  %14s%n";

  private String shares() {
    String shares =
        "overlap %s, hidden %s, %s of the limit; the same by lower quartiles: %s, %s, %s%n"
            .formatted(
                Verdict.percent(samples.overlap()),
                Verdict.percent(samples.hidden()),
                Verdict.percent(samples.ofLimit()),
                Verdict.percent(samples.undisturbed().overlap()),
                Verdict.percent(samples.undisturbed().hidden()),
                Verdict.percent(samples.undisturbed().ofLimit()));
    return (verdict().decided() ? shares : "")
        + String.format(
            Locale.ROOT,
            "control (the overlapped step against itself): %.2fx%n"
                + "communication thread: %s of CPU per step; the links carried %,d bytes, %,d had to cross%n",
            samples.control(),
            millis(commCpuMillis),
            linkBytes,
            bytesToCross);
  }

  /** Three digits: medians of equal runs differ in the second already. */
  private static String millis(double value) {
    int decimals = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
    return String.format(Locale.ROOT, "%." + decimals + "f ms", value);
  }

  private String gigaflops(double millis) {
    return String.format(Locale.ROOT, "%.0f GFLOP/s", flops / millis / 1e6);
  }

  private Map<String, Object> decisions() {
    Map<String, Object> decisions = new LinkedHashMap<>();
    plan.decisions().stream()
        .filter(decision -> !decision.choice().isEmpty())
        .forEach(decision -> decisions.put(decision.about(), decision.choice()));
    return decisions;
  }

  /** The same for a program. */
  public String json() {
    Layer.Size size = benchmark.size();
    Map<String, Object> views = new LinkedHashMap<>();
    for (View view : View.values()) {
      Map<String, Object> figures = new LinkedHashMap<>();
      figures.put("medianMs", samples.quantile(view, 0.5));
      figures.put("p10Ms", samples.quantile(view, 0.1));
      figures.put("p90Ms", samples.quantile(view, 0.9));
      figures.put("samplesMs", samples.of(view));
      views.put(view.toString(), figures);
    }
    Map<String, Object> shape = new LinkedHashMap<>();
    shape.put("m", size.m());
    shape.put("k", size.k());
    shape.put("n", size.n());
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("operation", size.operation().toString());
    all.put("shape", shape);
    all.put("dtype", size.type().toString());
    all.put("ranks", ranks);
    all.put("hosts", hosts);
    all.put("groups", benchmark.groups());
    all.put("decisions", decisions());
    all.put("kernel", kernel);
    all.put("isa", instructions);
    all.put("engine", engine.startsWith("MPI") ? "mpi" : engine);
    all.put("mpi", engine.startsWith("MPI") ? engine : "");
    all.put("verified", verified);
    all.put("verdict", verdict().text());
    all.put("decided", verdict().decided());
    all.put("views", views);
    all.put("speedup", samples.speedup());
    // On one host there is nothing to divide by.
    all.put("overlap", hosts == 1 ? Double.NaN : samples.overlap());
    all.put("hidden", hosts == 1 ? Double.NaN : samples.hidden());
    all.put("ofLimit", samples.ofLimit());
    all.put("control", samples.control());
    all.put("commCpuMs", commCpuMillis);
    all.put("linkBytes", linkBytes);
    all.put("bytesToCross", bytesToCross);
    all.put("plan", plan.brief());
    all.put("machine", Machine.describe());
    all.put("date", Instant.now().truncatedTo(ChronoUnit.SECONDS));
    return Json.write(all);
  }
}
