// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.bench;

import io.github.gemmflow.json.Json;
import io.github.gemmflow.measure.Counted;
import io.github.gemmflow.measure.Machine;
import io.github.gemmflow.measure.Millis;
import io.github.gemmflow.measure.Rounds;
import io.github.gemmflow.measure.Samples;
import io.github.gemmflow.measure.Verdict;
import io.github.gemmflow.measure.View;
import io.github.gemmflow.measure.layer.Layer;
import io.github.gemmflow.measure.record.RecordedStep;
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
 * @param flops operations of all ranks in a step
 * @param bytesToCross what had to cross the links between hosts in a step
 * @param measured whether results are right, and what pipelined steps took of the links
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
    Rounds.Measured measured,
    @Nullable RecordedStep recording)
    implements Outcome {
  private static final String LINE = "%-22s%12s  %26s  %14s%n";
  private static final String ROW = "%8s%8s%8s  %20s%12s%9s%12s%n";

  /** What the times show. */
  public Verdict verdict() {
    return Verdict.of(hosts, samples.speedup(), samples.control());
  }

  @Override
  public boolean verified() {
    return measured.verified();
  }

  @Override
  public String where() {
    Layer.Size size = benchmark.size();
    return where("%s %s".formatted(size.operation(), size.types()));
  }

  private String where(String what) {
    return "%s, %s on %s, %s, %s, kernel %s (%s)%n"
        .formatted(
            what,
            Counted.of(ranks, "rank"),
            Counted.of(hosts, "host"),
            Counted.of(benchmark.groups(), "group"),
            engine,
            kernel,
            instructions);
  }

  @Override
  public String heading() {
    return ROW.formatted("M", "K", "N", "sequential", "overlapped", "faster", "GFLOP/s");
  }

  /** Whether it is faster is only said where the figures decide it. */
  @Override
  public String row() {
    Layer.Size size = benchmark.size();
    return ROW.formatted(
        size.m(),
        size.k(),
        size.n(),
        Millis.text(samples.quantile(View.SEQUENTIAL, 0.5)),
        Millis.text(samples.quantile(View.PIPELINED, 0.5)),
        verdict().decided() ? Verdict.times(samples.speedup().median()) : "-",
        whole(gigaflops(View.PIPELINED)));
  }

  /** The verdict and a table. */
  @Override
  public String text() {
    StringBuilder text = new StringBuilder(where(benchmark.size().toString()));
    text.append(verdict().text()).append('\n');
    text.append(measured.verdict(benchmark.size().isExact())).append('\n');
    text.append(LINE.formatted("view", "median", "10th to 90th percentile", "all ranks"));
    for (View view : View.values()) {
      text.append(
          LINE.formatted(
              view.words(),
              Millis.text(samples.quantile(view, 0.5)),
              Millis.spread(samples.of(view)),
              view.multiplies() ? whole(gigaflops(view)) + " GFLOP/s" : ""));
    }
    if (hosts > 1) {
      text.append('\n').append(shares());
    }
    return text.append('\n').append(plan.brief()).toString();
  }

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
            "control (the overlapped step against itself): %.2fx%n",
            samples.control().median())
        + measured.traffic(bytesToCross);
  }

  private static String whole(double value) {
    return String.format(Locale.ROOT, "%.0f", value);
  }

  /** What all ranks compute in a second, together. */
  private double gigaflops(View view) {
    return flops / samples.quantile(view, 0.5) / 1e6;
  }

  private Map<String, Object> decisions() {
    Map<String, Object> decisions = new LinkedHashMap<>();
    plan.decisions().stream()
        .filter(decision -> !decision.choice().isEmpty())
        .forEach(decision -> decisions.put(decision.about(), decision.choice()));
    return decisions;
  }

  @Override
  public String fileName() {
    Layer.Size size = benchmark.size();
    String groups = benchmark.groups() == 1 ? "" : "-in-%d".formatted(benchmark.groups());
    return "%s-%s-%dx%dx%d-%d-ranks-on-%d%s.json"
        .formatted(
            size.operation(),
            size.types().replace(", traveling ", "-"),
            size.m(),
            size.k(),
            size.n(),
            ranks,
            hosts,
            groups);
  }

  @Override
  public String json() {
    Layer.Size size = benchmark.size();
    Map<String, Object> views = new LinkedHashMap<>();
    for (View view : View.values()) {
      Map<String, Object> figures = Millis.figures(samples.of(view));
      if (view.multiplies()) {
        figures.put("gflops", gigaflops(view));
      }
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
    all.put("wire", size.wire().toString());
    all.put("ranks", ranks);
    all.put("hosts", hosts);
    all.put("groups", benchmark.groups());
    all.put("decisions", decisions());
    all.put("kernel", kernel);
    all.put("isa", instructions);
    all.put("engine", engine.startsWith("MPI") ? "mpi" : engine);
    all.put("mpi", engine.startsWith("MPI") ? engine : "");
    all.put("verified", verified());
    all.put("exact", verified() && size.isExact());
    all.put("verdict", verdict().text());
    all.put("decided", verdict().decided());
    all.put("views", views);
    // What is undecided is no figure.
    boolean decided = verdict().decided();
    all.put("speedup", decided ? samples.speedup().median() : Double.NaN);
    all.put("speedupInterval", samples.speedup().bounds());
    all.put("overlap", decided ? samples.overlap() : Double.NaN);
    all.put("hidden", decided ? samples.hidden() : Double.NaN);
    all.put("ofLimit", decided ? samples.ofLimit() : Double.NaN);
    all.put("control", samples.control().median());
    all.put("controlInterval", samples.control().bounds());
    measured.putTraffic(all, bytesToCross);
    all.put("plan", plan.brief());
    all.put("machine", Machine.describe());
    all.put("date", Instant.now().truncatedTo(ChronoUnit.SECONDS));
    return Json.write(all);
  }
}
