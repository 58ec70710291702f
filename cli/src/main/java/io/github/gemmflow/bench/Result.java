// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.bench;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a benchmark found; the same on all ranks.
 *
 * @param plan what was decided, for a person
 * @param planFields the same for a program
 * @param flops operations of a rank in a step
 * @param bytesToCross what had to cross the links between hosts in a step
 * @param commCpuMillis the most CPU time that the comm thread of a rank took for a pipelined step
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
    String plan,
    Map<String, Object> planFields,
    double flops,
    long bytesToCross,
    Samples samples,
    double commCpuMillis,
    long linkBytes,
    boolean verified,
    @Nullable Recording recording) {

  /** A table for a person. */
  public String text() {
    StringBuilder text = new StringBuilder();
    Layer.Size size = benchmark.size();
    text.append(
        "%s, %d rank(s) on %d host(s), %d group(s), %s, kernel %s (%s)%n"
            .formatted(size, ranks, hosts, benchmark.groups(), engine, kernel, instructions));
    text.append(plan);
    for (View view : View.values()) {
      double median = samples.quantile(view, 0.5);
      text.append(
          String.format(
              Locale.ROOT,
              "%-12s %10.3f ms   (%.3f to %.3f)%s%n",
              view,
              median,
              samples.quantile(view, 0.1),
              samples.quantile(view, 0.9),
              view == View.COMM_ONLY ? "" : gigaflops(median)));
    }
    text.append(figures("", samples));
    text.append(figures("by lower quartiles: ", samples.undisturbed()));
    text.append(
        String.format(
            Locale.ROOT,
            "the comm thread took %.2f ms of CPU; the links carried %,d bytes, %,d had to cross%n",
            commCpuMillis,
            linkBytes,
            bytesToCross));
    text.append(verified ? "verified: exact on all ranks\n" : "NOT VERIFIED: wrong results\n");
    return text.toString();
  }

  private static String figures(String how, Samples of) {
    return String.format(
        Locale.ROOT,
        "%sspeedup %.3f, overlap %.3f, hidden %.3f, of the limit %.3f; pipelined takes %.3f of compute-only, %.3f of itself%n",
        how,
        of.speedup(),
        of.overlap(),
        of.hidden(),
        of.ofLimit(),
        of.overCompute(),
        of.control());
  }

  private String gigaflops(double millis) {
    return String.format(Locale.ROOT, "  %.0f GFLOP/s per rank", flops / millis / 1e6);
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
    all.putAll(planFields);
    all.put("kernel", kernel);
    all.put("isa", instructions);
    all.put("engine", engine.startsWith("MPI") ? "mpi" : engine);
    all.put("mpi", engine.startsWith("MPI") ? engine : "");
    all.put("verified", verified);
    all.put("views", views);
    all.put("speedup", samples.speedup());
    all.put("overlap", samples.overlap());
    all.put("hidden", samples.hidden());
    all.put("ofLimit", samples.ofLimit());
    all.put("control", samples.control());
    all.put("commCpuMs", commCpuMillis);
    all.put("linkBytes", linkBytes);
    all.put("bytesToCross", bytesToCross);
    all.put("plan", plan);
    all.put("machine", Machine.describe());
    all.put("date", Instant.now().truncatedTo(ChronoUnit.SECONDS));
    return Json.write(all);
  }
}
