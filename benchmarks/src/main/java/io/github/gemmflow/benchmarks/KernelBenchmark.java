// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks;

import io.github.gemmflow.json.Json;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.measure.Counted;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Comparison of the compute lane with plain oneDNN, interleaved. */
@Command(
    name = "kernel",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Compares AllGatherMatmul on one rank, whose rows are all there, with one oneDNN matmul from C++:",
      "same library file, same threads, weights packed. Each round measures two processes of the latter and one",
      "of ours, in an order that turns from round to round; a ratio is the median over the rounds, and the control",
      "is that of the second bare process to the first. Lower quartiles tell more where others use the machine."
    })
final class KernelBenchmark implements Callable<Integer> {
  /** What must be shown, and the ratio that must be met: for reals, and in int8. */
  private record Shape(int m, int k, int n, double ofReals, double ofInt8) {
    double limit(DType type) {
      return type.isReal() ? ofReals : ofInt8;
    }

    @Override
    public String toString() {
      return "%dx%dx%d".formatted(m, k, n);
    }
  }

  private static final List<Shape> SHAPES =
      List.of(
          new Shape(4096, 4096, 4096, 1.03, 1.05),
          new Shape(4096, 4096, 2048, 1.03, 1.05),
          new Shape(1024, 8192, 1024, 1.03, 1.05),
          new Shape(128, 4096, 4096, 1.03, 1.05),
          new Shape(16, 4096, 4096, 1.05, 1.05),
          new Shape(8, 4096, 4096, 1.05, 1.15),
          new Shape(1, 4096, 4096, 1.05, 1.15));

  @Option(names = "--rounds", defaultValue = "100", description = "rounds per shape (default: 100)")
  private int rounds;

  @Option(
      names = "--dtype",
      split = ",",
      defaultValue = "BF16,F32",
      description = "type: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
  private List<DType> types = List.of();

  @Option(
      names = "--threads",
      split = ",",
      defaultValue = "1,2",
      description = "numbers of threads (default: 1,2)")
  private List<Integer> threads = List.of();

  @Option(
      names = "--shape",
      split = ",",
      description = "shapes to measure, for example 16x4096x4096")
  private List<String> shapes = List.of();

  @Option(names = "--json", paramLabel = "FILE", description = "file for the figures")
  private @Nullable Path json;

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<Map<String, Object>> figures = new ArrayList<>();
    for (int count : threads) {
      try (BareGemm bare = new BareGemm();
          BareGemm again = new BareGemm();
          OneRank ours = new OneRank(count)) {
        for (DType type : types) {
          for (Shape shape : SHAPES) {
            if (shapes.isEmpty() || shapes.contains(shape.toString())) {
              figures.add(compare(bare, again, ours, type, shape, count));
            }
          }
        }
      }
    }
    Path file = json;
    if (file != null) {
      Files.writeString(file, Json.write(figures) + "\n");
    }
    return 0;
  }

  private Map<String, Object> compare(
      BareGemm bare, BareGemm again, OneRank ours, DType type, Shape shape, int count)
      throws IOException, InterruptedException {
    bare.prepare(type, shape.m, shape.k, shape.n, count);
    again.prepare(type, shape.m, shape.k, shape.n, count);
    ours.prepare(type, shape.m, shape.k, shape.n);
    int times = times(bare);
    Comparison control = new Comparison("bare again", shape.limit(type));
    Comparison gemmflow = new Comparison("gemmflow", shape.limit(type));
    List<Turns.Measurement> measurements =
        List.of(() -> bare.run(times), () -> ours.run(times), () -> again.run(times));
    int warmUp = Math.max(2, rounds / 10);
    for (int round = 0; round < warmUp + rounds; round++) {
      long[] nanos = Turns.take(round, measurements);
      if (round >= warmUp) {
        gemmflow.add(nanos[1], nanos[0], times);
        control.add(nanos[2], nanos[0], times);
      }
    }
    double bareMicros = gemmflow.rivalMicros();
    PrintStream out = System.out;
    out.printf(
        Locale.ROOT,
        "%s %s on %s, %d per measurement%n"
            + "  %-10s %10.1f us   %.3f x itself (lower quartiles: %.3f), %.0f GFLOP/s%n"
            + "  %s (lower quartiles: %.3f)%n",
        type,
        shape,
        Counted.of(count, "thread"),
        times,
        "bare",
        bareMicros,
        control.ratio(),
        control.undisturbedRatio(),
        2e-3 * shape.m * shape.k * shape.n / bareMicros,
        gemmflow.line(control),
        gemmflow.undisturbedRatio());
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("type", type.toString());
    figures.put("shape", shape.toString());
    figures.put("threads", count);
    figures.put("bareMicros", bareMicros);
    gemmflow.putRatio(figures, "ratio", control);
    figures.put("control", control.ratio());
    figures.put("controlInterval", control.interval().bounds());
    figures.put("quartileRatio", gemmflow.undisturbedRatio());
    figures.put("quartileControl", control.undisturbedRatio());
    figures.put("limit", shape.limit(type));
    return figures;
  }

  /** Enough for about 20 ms: what disturbs often lasts longer, and meets few of those. */
  private static int times(BareGemm bare) throws IOException {
    long best = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      best = Math.min(best, bare.run(1));
    }
    return Math.clamp(20_000_000 / Math.max(1, best), 1, 5000);
  }
}
