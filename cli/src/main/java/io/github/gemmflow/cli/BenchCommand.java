// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import io.github.gemmflow.Config;
import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.World;
import io.github.gemmflow.bench.Layer;
import io.github.gemmflow.bench.LayerBenchmark;
import io.github.gemmflow.bench.Operation;
import io.github.gemmflow.bench.Picture;
import io.github.gemmflow.bench.Recording;
import io.github.gemmflow.bench.Result;
import io.github.gemmflow.bench.Trace;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.mpi.Launcher;
import io.github.gemmflow.plan.Path;
import io.github.gemmflow.plan.Schedule;
import io.github.gemmflow.plan.Tuning;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code gemmflow bench}: one linear layer, in all views. */
@Command(
    name = "bench",
    header = "Times one linear layer in several views.%n",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "The views, interleaved: the product alone (gemm), the operator whose rows are all there"
            + " (computeOnly), the rows alone (commOnly), one after the other (sequential), and both at once"
            + " (pipelined). The time of a round is its slowest rank's. Afterwards results are checked, exactly.%n"
            + "In a job that a launcher started it runs on the ranks of that job; otherwise it starts ranks on"
            + " this host.%n")
final class BenchCommand implements Callable<Integer> {
  /** Who carries rows between ranks. */
  enum Engine {
    MPI,
    LOCAL
  }

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"-n", "--ranks"},
      paramLabel = "N",
      description = "ranks to start (default: 2)")
  private int ranks;

  @Option(
      names = "--engine",
      defaultValue = "mpi",
      description = "mpi: ranks are processes; local: threads of one (default: mpi)")
  private Engine engine = Engine.MPI;

  @Option(
      names = "--mpirun",
      defaultValue = "mpirun",
      paramLabel = "PROGRAM",
      description = "what starts ranks as processes (default: mpirun)")
  private String mpirun = "mpirun";

  @Option(
      names = "--operation",
      defaultValue = "gather",
      description = {
        "gather: each rank has rows of A, and columns of B;",
        "reduce-scatter: columns of A, rows of B, and gets rows of the sum of products;",
        "all-reduce: the same, but all rows of the sum (default: gather)"
      })
  private Operation operation = Operation.GATHER;

  @Option(
      names = "--gm",
      defaultValue = "4096",
      paramLabel = "M",
      description = "rows of A, over all ranks of a group if gathered (default: 4096)")
  private long m;

  @Option(
      names = "--gk",
      defaultValue = "4096",
      paramLabel = "K",
      description = "columns of A, over all ranks of a group if summed (default: 4096)")
  private long k;

  @Option(
      names = "--gn",
      defaultValue = "4096",
      paramLabel = "N",
      description = "columns of each rank's weights (default: 4096)")
  private long n;

  @Option(
      names = "--dtype",
      defaultValue = "BF16",
      description = "of A and the weights: ${COMPLETION-CANDIDATES} (default: BF16)")
  private DType type = DType.BF16;

  @Option(
      names = "--groups",
      defaultValue = "1",
      description = "groups of neighbouring ranks that run the layer side by side (default: 1)")
  private int groups;

  @Option(
      names = "--base-m",
      paramLabel = "ROWS",
      description = "rows that travel together (default: by rule)")
  private @Nullable Integer chunkRows;

  @Option(
      names = "--compute-threads",
      paramLabel = "COUNT",
      description = "threads of each rank that multiply (default: 1)")
  private @Nullable Integer threads;

  @Option(
      names = "--inflight",
      paramLabel = "CHUNKS",
      description = "of one rank's rows under way between two hosts (default: 8)")
  private @Nullable Integer inFlight;

  @Option(
      names = "--schedule",
      description = "between hosts: mesh, ring or two-way-ring (default: by rule)")
  private @Nullable String schedule;

  @Option(
      names = "--path",
      description = "where rows lie: ${COMPLETION-CANDIDATES} (default: by rule)")
  private @Nullable Path path;

  @Option(
      names = "--warmup",
      defaultValue = "5",
      paramLabel = "ROUNDS",
      description = "before those that count (default: 5)")
  private int warmup;

  @Option(
      names = "--iterations",
      defaultValue = "21",
      paramLabel = "ROUNDS",
      description = "that count (default: 21)")
  private int iterations;

  @Option(names = "--json", paramLabel = "FILE", description = "writes the figures there too")
  private java.nio.file.@Nullable Path json;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description =
          "writes a pipelined step there, to be looked at in Perfetto or chrome://tracing")
  private java.nio.file.@Nullable Path trace;

  @Option(names = "--picture", paramLabel = "FILE", description = "draws that step there, as SVG")
  private java.nio.file.@Nullable Path picture;

  private final AtomicBoolean good = new AtomicBoolean(true);

  @Override
  public Integer call() throws IOException, InterruptedException {
    Config config = config();
    LayerBenchmark benchmark =
        new LayerBenchmark(
            new Layer.Size(operation, m, k, n, type),
            groups,
            config.tuning(),
            warmup,
            iterations,
            trace != null || picture != null);
    if (engine == Engine.LOCAL) {
      LocalWorld.of(ranksToStart()).config(config).run(world -> run(world, benchmark));
    } else if (Launcher.current() != Launcher.NONE) {
      try (World world = World.join(config)) {
        run(world, benchmark);
      }
    } else if (ranksToStart() == 1) {
      try (World world = World.single(config)) {
        run(world, benchmark);
      }
    } else {
      var words = spec.commandLine().getParent().getParseResult().originalArgs();
      return new Mpirun(mpirun).run(ranksToStart(), words);
    }
    return good.get() ? 0 : 1;
  }

  private int ranksToStart() {
    return ranks == 0 ? 2 : ranks;
  }

  private Config config() {
    Config.Builder builder = Config.builder();
    if (threads != null) {
      builder.threads(threads);
    }
    return builder.tuning(tuning(builder.build().tuning())).build();
  }

  private Tuning tuning(Tuning start) {
    Tuning tuning = start;
    if (chunkRows != null) {
      tuning = tuning.withChunkRows(chunkRows);
    }
    if (inFlight != null) {
      tuning = tuning.withInFlight(inFlight);
    }
    if (schedule != null) {
      tuning = tuning.withSchedule(Schedule.named(schedule));
    }
    if (path != null) {
      tuning = tuning.withPath(path);
    }
    return tuning;
  }

  private void run(World world, LayerBenchmark benchmark) {
    if (ranks != 0 && world.size() != ranks) {
      throw new ParameterException(
          spec.commandLine(),
          "--ranks %d: this job has %d; leave the option out in a job that runs already"
              .formatted(ranks, world.size()));
    }
    Result result = benchmark.run(world);
    good.compareAndSet(true, result.verified());
    if (world.rank() == 0) {
      report(result);
    }
  }

  private void report(Result result) {
    PrintWriter out = spec.commandLine().getOut();
    out.print(result.text());
    out.flush();
    write(json, result.json() + "\n");
    Recording recording = result.recording();
    if (recording != null) {
      write(trace, Trace.write(recording));
      write(picture, Picture.draw(recording));
    }
  }

  private static void write(java.nio.file.@Nullable Path file, String text) {
    if (file == null) {
      return;
    }
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + file, e);
    }
  }
}
