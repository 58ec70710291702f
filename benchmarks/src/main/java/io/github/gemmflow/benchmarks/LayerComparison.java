// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks;

import io.github.gemmflow.bench.Json;
import io.github.gemmflow.bench.View;
import io.github.gemmflow.system.Job;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A linear layer, one after the other and pipelined, and rivals of it, interleaved in an order that
 * turns from round to round. A ratio is the median over rounds of another's time to the pipelined
 * layer's: how many times as fast that is.
 */
final class LayerComparison {
  /** The pipelined layer against itself. */
  private static final String CONTROL = "control";

  /** What counts as not slower. */
  private static final double LIMIT = 1.03;

  private static final int WARM_UP = 3;

  private final LayerOptions options;
  private final int hosts;
  private final Map<String, Pipes> rivals = new LinkedHashMap<>();

  LayerComparison(LayerOptions options, int hosts) {
    this.options = options;
    this.hosts = hosts;
  }

  int run() throws IOException, InterruptedException {
    List<Map<String, Object>> figures = new ArrayList<>();
    try (Contest contest = new Contest(options.ranks)) {
      Job job = new Job(options.mpi, options.ranks, hosts).java(options.javaOptions);
      Pipes ours =
          contest.start(
              Commands.NAME,
              job.java(List.of("-Dgemmflow.onednn.library=" + oneDnn()))
                  .command(LayerRank.class, contest.directory()));
      for (LayerOptions.Rival rival : options.rivals) {
        String name = rival.name().toLowerCase(Locale.ROOT);
        List<String> command = new ArrayList<>(program(rival));
        command.add(contest.directory());
        rivals.put(name, contest.start(name, job.command(command)));
      }
      System.out.printf(
          "%s, %d ranks on %d host(s), BF16, 1 thread per rank, %d rounds%n",
          options.mpi, options.ranks, hosts, options.rounds);
      for (long m : options.ms) {
        for (long n : options.ns) {
          figures.add(compare(ours, m, n));
        }
      }
    }
    Path json = options.json;
    if (json != null) {
      Files.writeString(json, Json.write(figures) + "\n");
    }
    return 0;
  }

  private static String oneDnn() {
    return System.getProperty("gemmflow.onednn.library");
  }

  /** Where the script that runs this puts what it compiles, and where it lies itself. */
  private List<String> program(LayerOptions.Rival rival) {
    return switch (rival) {
      case BARE ->
          List.of(System.getProperty("gemmflow.benchmarks.programs") + "/layer." + options.mpi);
      case TORCH ->
          List.of(options.python, System.getProperty("gemmflow.benchmarks.sources") + "/layer.py");
    };
  }

  private Map<String, Object> compare(Pipes ours, long m, long n)
      throws IOException, InterruptedException {
    for (View view : List.of(View.SEQUENTIAL, View.PIPELINED)) {
      if (ours.run(view.name(), m, options.k, n, 0).commNanos() != 0) {
        throw new IOException("%s, %d x %d x %d: wrong results".formatted(view, m, options.k, n));
      }
    }
    int times = times(ours, m, n);
    List<Comparison> comparisons = new ArrayList<>();
    List<Turns.Measurement> measurements = new ArrayList<>();
    rivals.forEach(
        (name, pipes) -> {
          comparisons.add(new Comparison(name, LIMIT));
          measurements.add(() -> pipes.run(name, m, options.k, n, times).nanos());
        });
    comparisons.add(new Comparison("sequential", LIMIT));
    measurements.add(() -> measure(ours, View.SEQUENTIAL, m, n, times));
    comparisons.add(new Comparison(CONTROL, LIMIT));
    measurements.add(() -> measure(ours, View.PIPELINED, m, n, times));
    measurements.add(() -> measure(ours, View.PIPELINED, m, n, times));
    for (int round = 0; round < WARM_UP + options.rounds; round++) {
      long[] nanos = Turns.take(round, measurements);
      for (int i = 0; round >= WARM_UP && i < comparisons.size(); i++) {
        comparisons.get(i).add(nanos[i], nanos[nanos.length - 1], times);
      }
    }
    return report(comparisons, m, n, times);
  }

  private long measure(Pipes ours, View view, long m, long n, int times) throws IOException {
    return ours.run(view.name(), m, options.k, n, times).nanos();
  }

  /** Enough for about 20 ms. */
  private int times(Pipes ours, long m, long n) throws IOException {
    long best = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      best = Math.min(best, measure(ours, View.PIPELINED, m, n, 1));
    }
    return Math.clamp(20_000_000 / Math.max(1, best), 1, 500);
  }

  private Map<String, Object> report(List<Comparison> comparisons, long m, long n, int times) {
    System.out.printf(
        Locale.ROOT,
        "%d x %d x %d, %d per measurement%n  %-12s %11.1f us%n",
        m,
        options.k,
        n,
        times,
        "pipelined",
        comparisons.getFirst().rivalMicros());
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("m", m);
    figures.put("k", options.k);
    figures.put("n", n);
    figures.put("ranks", options.ranks);
    figures.put("hosts", hosts);
    for (Comparison comparison : comparisons) {
      System.out.printf(
          Locale.ROOT,
          "  %-12s %11.1f us   %.3f x pipelined%n",
          comparison.name(),
          comparison.micros(),
          comparison.ratio());
      figures.put(
          comparison.name(), Map.of("micros", comparison.micros(), "ratio", comparison.ratio()));
    }
    return figures;
  }
}
