// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.predictions;

import io.github.gemmflow.cli.bench.Layer;
import io.github.gemmflow.cli.bench.Operation;
import io.github.gemmflow.cli.predict.LayerPrediction;
import io.github.gemmflow.cli.report.JsonTree;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.Storage;
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
import org.jspecify.annotations.Nullable;

/**
 * Layers of several heights, run in one way.
 *
 * @param rows of each
 * @param schedule null for a choice by rule
 * @param storage null for a choice by rule
 */
record Trial(
    Operation operation,
    DType type,
    List<Long> rows,
    @Nullable Schedule schedule,
    @Nullable Storage storage) {
  /** Steps of so few rows are short: Java has compiled them only after many. */
  private static final long FEW_ROWS = 64;

  private static final long K = 4096;
  private static final long N = 2048;

  private Tuning tuning(CostModel costs) {
    return Tuning.DEFAULT.withCosts(costs).withSchedule(schedule).withStorage(storage);
  }

  private Layer.Size size(long m) {
    return new Layer.Size(operation, m, K, N, type);
  }

  private String name(long m) {
    return "%s%s%s"
        .formatted(
            size(m),
            schedule == null ? "" : ", " + schedule,
            storage == null ? "" : ", " + storage.toString().toLowerCase(Locale.ROOT));
  }

  /** Measures all, and predicts them from costs that were measured before. */
  List<Measurement> run(Place place, CostModel costs) throws IOException, InterruptedException {
    Path figures = Files.createTempDirectory("gemmflow-predictions-");
    bench(place, figures, rows.stream().filter(m -> m <= FEW_ROWS).toList(), 150, 51);
    bench(place, figures, rows.stream().filter(m -> m > FEW_ROWS).toList(), 5, 7);
    List<Measurement> found = new ArrayList<>();
    for (Map.Entry<Long, Double> each : read(figures).entrySet()) {
      long m = each.getKey();
      double predicted =
          LayerPrediction.of(size(m), place.domains(), tuning(costs), costs).millis();
      found.add(new Measurement(place.toString(), name(m), predicted, each.getValue()));
    }
    return found;
  }

  private void bench(Place place, Path figures, List<Long> heights, int warmup, int iterations)
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
                Integer.toString(warmup),
                "--iterations",
                Integer.toString(iterations),
                "--json",
                figures.toString(),
                "--gm",
                heights.stream().map(String::valueOf).collect(Collectors.joining(","))));
    if (schedule != null) {
      words.addAll(List.of("--schedule", schedule.name()));
    }
    if (storage != null) {
      words.addAll(List.of("--storage", storage.toString()));
    }
    place.run(words);
  }

  /** The median time of overlapped steps, by rows. */
  private static Map<Long, Double> read(Path directory) throws IOException {
    Map<Long, Double> millis = new TreeMap<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.json")) {
      for (Path file : files) {
        Map<String, Object> figures = JsonTree.object(JsonTree.read(Files.readString(file)));
        Map<String, Object> views = JsonTree.object(figures.get("views"));
        Object median = JsonTree.object(views.get("pipelined")).get("medianMs");
        Object m = JsonTree.object(figures.get("shape")).get("m");
        millis.put(
            ((Number) Objects.requireNonNull(m)).longValue(),
            ((Number) Objects.requireNonNull(median)).doubleValue());
      }
    }
    return millis;
  }
}
