// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.predictions;

import io.github.gemmflow.json.JsonTree;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.measure.layer.Layer;
import io.github.gemmflow.measure.layer.Operation;
import io.github.gemmflow.measure.predict.LayerPrediction;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.SumPath;
import io.github.gemmflow.tuning.Tuning;
import io.github.gemmflow.tuning.cost.CostModel;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Layers of several heights, run in one way.
 *
 * @param rows of each
 * @param way an option of gemmflow bench and its value; empty for a choice by rule
 */
record Trial(Operation operation, DType type, List<Long> rows, List<String> way) {
  /** How often steps of up to so many rows are timed. Short ones are compiled only after many. */
  private record Rounds(long mostRows, int warmup, int iterations) {
    static final List<Rounds> ALL =
        List.of(
            new Rounds(64, 600, 101),
            new Rounds(256, 40, 21),
            new Rounds(4096, 5, 7),
            new Rounds(Long.MAX_VALUE, 1, 3));

    static Rounds of(long rows) {
      return ALL.stream().filter(rounds -> rows <= rounds.mostRows).findFirst().orElseThrow();
    }
  }

  private static final long K = 4096;
  private static final long N = 2048;

  private Tuning tuning(CostModel costs) {
    Tuning tuning = Tuning.DEFAULT.withCosts(costs);
    if (way.isEmpty()) {
      return tuning;
    }
    return switch (way.getFirst()) {
      case "--schedule" -> tuning.withSchedule(Schedule.named(way.getLast()));
      case "--storage" -> tuning.withStorage(Storage.STREAMED);
      case "--sums" -> tuning.withSums(SumPath.valueOf(way.getLast().toUpperCase(Locale.ROOT)));
      default -> throw new IllegalArgumentException("there is no " + way);
    };
  }

  private Layer.Size size(long m, long n) {
    return new Layer.Size(operation, m, K, n, type);
  }

  /** The columns of the whole layer: of a gather, each rank has others. */
  private long wholeColumns(int ranks) {
    return operation.isSum() ? N : N * ranks;
  }

  /** Measures all, and predicts them from costs that were measured before. */
  List<Measurement> run(Place place, CostModel costs) throws IOException, InterruptedException {
    Path figures = Files.createTempDirectory("gemmflow-predictions-");
    for (Rounds rounds : Rounds.ALL) {
      bench(
          place,
          costs,
          figures,
          rows.stream().filter(m -> Rounds.of(m).equals(rounds)).toList(),
          rounds);
    }
    List<Measurement> found = new ArrayList<>();
    Hosts hosts = place.placement();
    Tuning tuning = tuning(costs);
    for (Map.Entry<Long, Times> each : read(figures).entrySet()) {
      long m = each.getKey();
      Layer.Size whole = size(m, wholeColumns(hosts.ranks()));
      found.add(
          new Measurement(
              place.toString(),
              size(m, N).toString(),
              way.isEmpty() ? "" : way.getLast(),
              LayerPrediction.of(size(m, N), hosts, tuning, costs).millis(),
              each.getValue().step(),
              LayerPrediction.of(whole, Hosts.single(1), tuning, costs).millis(),
              each.getValue().product() * hosts.ranks()));
    }
    return found;
  }

  /** Medians: of overlapped steps, and of the products of a rank alone. */
  private record Times(double step, double product) {}

  private void bench(Place place, CostModel costs, Path figures, List<Long> heights, Rounds rounds)
      throws IOException, InterruptedException {
    if (heights.isEmpty()) {
      return;
    }
    List<String> words =
        new ArrayList<>(
            List.of(
                "bench",
                "--operation",
                operation.toString(),
                "--dtype",
                type.toString(),
                "--gk",
                "" + K,
                "--gn",
                "" + N,
                "--warmup",
                Integer.toString(rounds.warmup),
                "--iterations",
                Integer.toString(rounds.iterations),
                "--json",
                figures.toString(),
                "--gm",
                heights.stream().map(String::valueOf).collect(Collectors.joining(","))));
    words.addAll(way);
    place.run(words, costs);
  }

  private static Map<Long, Times> read(Path directory) throws IOException {
    Map<Long, Times> byRows = new TreeMap<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.json")) {
      for (Path file : files) {
        Map<String, Object> figures = JsonTree.object(JsonTree.read(Files.readString(file)));
        Map<String, Object> views = JsonTree.object(figures.get("views"));
        Object m = JsonTree.object(figures.get("shape")).get("m");
        byRows.put(
            ((Number) Objects.requireNonNull(m)).longValue(),
            new Times(median(views, "pipelined"), median(views, "gemm")));
      }
    }
    return byRows;
  }

  private static double median(Map<String, Object> views, String view) {
    Object median = JsonTree.object(views.get(view)).get("medianMs");
    return ((Number) Objects.requireNonNull(median)).doubleValue();
  }
}
