// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.Config;
import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.cli.Ran;
import io.github.gemmflow.cli.job.ExitCode;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.measure.record.RecordedStep;
import io.github.gemmflow.models.checkpoint.Checkpoint;
import io.github.gemmflow.models.checkpoint.ModelConfig;
import io.github.gemmflow.trace.Span;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrefillCommandTest {
  /** Two to gather and two to sum in the one layer, and the last. */
  private static final int OPERATORS = 5;

  @TempDir private Path directory;

  @BeforeEach
  void makeAModel() {
    String shape = "--layers 1 --hidden 32 --heads 4 --kv-heads 2 --intermediate 40 --vocab 50";
    String make = "random-checkpoint --dtype f32 " + shape + " --out " + directory;
    Ran.here(make.split(" ")).good();
  }

  private Ran prefill(String... arguments) {
    List<String> all =
        new ArrayList<>(
            List.of("prefill", "--model", directory.toString(), "--engine", "local", "-n", "2"));
    all.addAll(List.of(arguments));
    return Ran.here(all.toArray(new String[0]));
  }

  @Test
  void allWaysAreTimed() throws IOException {
    Path trace = directory.resolve("prefill.json");
    String options = "--rows 70 --prompts 3 --rounds 3 --warmup 1 --trace " + trace;
    Ran ran = prefill(options.split(" ")).good();
    List<String> lines = ran.out().lines().toList();
    List<String> patterns =
        List.of(
            "2 ranks on 1 host, 1 thread each, BF16, local, kernel .*",
            "1 layer, hidden 32, intermediate 40, 4 heads, 2 of keys and values, vocabulary 50",
            "70 rows: 3 prompts of \\d+ to \\d+ tokens; 3 rounds",
            "halves +\\d+\\.\\d{3} ms   \\(.* to .*\\)",
            "whole +\\d+\\.\\d{3} ms   \\(.* to .*\\)",
            "sequential +\\d+\\.\\d{3} ms   \\(.* to .*\\)",
            "network +\\d+\\.\\d{3} ms   \\(.* to .*\\)",
            "again +\\d+\\.\\d{3} ms   \\(.* to .*\\)",
            "speedup over sequential: halves .*, whole .*; .* is possible, of which halves reach .*",
            "halves take \\d+\\.\\d{3} of themselves",
            "verified: all passes gave the same logits, bit by bit");
    assertEquals(patterns.size(), lines.size(), ran::out);
    for (int i = 0; i < patterns.size(); i++) {
      assertTrue(lines.get(i).matches(patterns.get(i)), lines.get(i));
    }
    assertTrue(Files.readString(trace).contains("multiply rows"));
  }

  @Test
  void allLayersAreRecorded() throws IOException {
    List<PrefillResult> results = new CopyOnWriteArrayList<>();
    try (Checkpoint checkpoint = Checkpoint.open(directory)) {
      List<int[]> prompts = RandomPrompts.of(2, 30, 50, 1);
      PrefillBenchmark benchmark = new PrefillBenchmark(prompts, DType.F32, 0, 1, true);
      LocalWorld.onHosts(0, 1).run(world -> results.add(benchmark.run(world, checkpoint)));
    }
    for (PrefillResult result : results) {
      assertEquals(2, result.hosts());
      assertTrue(result.sameLogits());
      RecordedStep recording = Objects.requireNonNull(result.recording());
      for (List<Span> spans : recording.ranks()) {
        assertTrue(count(spans, Span.Kind.WORK) >= OPERATORS, spans::toString);
        assertTrue(count(spans, Span.Kind.ARRIVAL) > 0, spans::toString);
      }
    }
  }

  @Test
  void rowsMayBeStreamed() throws IOException {
    Config config = Config.builder().tuning(Tuning.DEFAULT.withStorage(Storage.STREAMED)).build();
    PrefillBenchmark benchmark =
        new PrefillBenchmark(RandomPrompts.of(2, 30, 50, 1), DType.F32, 0, 1, false);
    List<PrefillResult> results = new CopyOnWriteArrayList<>();
    try (Checkpoint checkpoint = Checkpoint.open(directory)) {
      LocalWorld.onHosts(0, 1)
          .config(config)
          .run(world -> results.add(benchmark.run(world, checkpoint)));
    }
    assertEquals(2, results.size());
    results.forEach(result -> assertTrue(result.sameLogits()));
  }

  private static long count(List<Span> spans, Span.Kind kind) {
    return spans.stream().filter(span -> span.kind() == kind).count();
  }

  /** A round is compared with itself, whatever the others were like. */
  @Test
  void speedupIsTheMedianOfRatios() {
    PrefillTimes times =
        new PrefillTimes(
            List.of(10.0, 100.0, 20.0),
            List.of(15.0, 120.0, 40.0),
            List.of(6.0, 80.0, 10.0),
            List.of(12.0, 100.0, 25.0),
            List.of(11.0, 90.0, 20.0));
    assertEquals(1.5, times.speedup());
    assertEquals(1.25, times.speedupOfWhole());
    // By round: 15 / 9 without the network, 120 / 80 as the network, 40 / 30.
    assertEquals(1.5, times.possible());
    assertEquals(0.9, times.reached(), 1e-9);
    assertEquals(1.0, times.control());
    String line = "halves           20.000 ms   (12.000 to 84.000)";
    assertTrue(times.text().contains(line), times::text);
  }

  @Test
  void logitsThatDifferAreNotPassedOver() throws IOException {
    PrefillBenchmark benchmark =
        new PrefillBenchmark(List.of(new int[3], new int[4]), DType.BF16, 0, 1, false);
    ModelConfig config = ModelConfig.read(directory.resolve(ModelConfig.FILE));
    List<Double> one = List.of(1.0);
    PrefillTimes times = new PrefillTimes(one, one, one, one, one);
    PrefillResult result =
        new PrefillResult(benchmark, config, 4, 2, 1, "local", "any", times, false, null);
    assertTrue(result.text().contains("4 ranks on 2 hosts"), result::text);
    assertTrue(result.text().contains("7 rows: 2 prompts of 3 to 4 tokens"), result::text);
    assertTrue(result.text().contains("NOT VERIFIED"), result::text);
  }

  @Test
  void promptsHaveSoManyTokens() {
    for (int[] sizes : new int[][] {{1, 1}, {5, 5}, {3, 100}, {8, 2048}}) {
      List<int[]> prompts = RandomPrompts.of(sizes[0], sizes[1], 50, 7);
      assertEquals(sizes[0], prompts.size());
      assertEquals(sizes[1], prompts.stream().mapToInt(prompt -> prompt.length).sum());
      assertTrue(prompts.stream().allMatch(prompt -> prompt.length > 0));
    }
    List<int[]> many = RandomPrompts.of(8, 2048, 50, 7);
    assertEquals(8, many.stream().map(prompt -> prompt.length).distinct().count());
  }

  @Test
  void whatAUserCanMendIsSaid() {
    prefill("--rows", "2", "--prompts", "3").bad(ExitCode.INPUT, "2 tokens cannot be 3 prompts");
    prefill("--rounds", "0").bad(ExitCode.INPUT, "0 that count");
    String nowhere = "--rows 4 --prompts 2 --rounds 1 --warmup 0 --trace /nonexistent/trace";
    prefill(nowhere.split(" ")).bad(ExitCode.INPUT, "/nonexistent/trace", "does not exist");
  }
}
