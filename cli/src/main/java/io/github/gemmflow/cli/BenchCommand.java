// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import io.github.gemmflow.Config;
import io.github.gemmflow.World;
import io.github.gemmflow.cli.job.CommandException;
import io.github.gemmflow.cli.job.ExitCode;
import io.github.gemmflow.cli.job.Job;
import io.github.gemmflow.cli.job.OutputFile;
import io.github.gemmflow.cli.job.RankOptions;
import io.github.gemmflow.cli.job.Subcommand;
import io.github.gemmflow.measure.Progress;
import io.github.gemmflow.measure.bench.Benchmark;
import io.github.gemmflow.measure.bench.GatherBenchmark;
import io.github.gemmflow.measure.bench.LayerBenchmark;
import io.github.gemmflow.measure.bench.Outcome;
import io.github.gemmflow.measure.bench.Result;
import io.github.gemmflow.measure.layer.Layer;
import io.github.gemmflow.measure.layer.Operation;
import io.github.gemmflow.measure.record.Trace;
import io.github.gemmflow.mpi.binding.Launcher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code gemmflow bench}: one linear layer, in all views. */
@Command(
    name = "bench",
    header = "Times one linear layer in several views.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "The views are interleaved: the product alone (gemm), the operator with all rows present"
            + " (computeOnly), communication alone (commOnly), sequential, and overlapped (pipelined)."
            + " The time of a round is that of its slowest rank. Results are then checked exactly.%n"
            + "For sums, K is over all ranks, and each rank has all M rows. In a job that a launcher started,"
            + " it runs on the ranks of that job; otherwise it starts ranks on this host.%n"
            + "Lists, for example -n 1,2,4 or --gm 512,4096, make a table of all shapes for each number of"
            + " ranks.%n",
    footer = {
      "%nExample:",
      "  gemmflow bench -n 2 --gm 256 --gn 256 --json bench.json --trace trace.json",
      "  gemmflow bench -n 1,2 --gm 64,256 --gk 256 --gn 256 --json sweep"
    })
final class BenchCommand extends Subcommand {
  @Mixin private RankOptions ranks = new RankOptions();
  @Mixin private OperationOptions operation = new OperationOptions();
  @Mixin private ShapeOptions shape = new ShapeOptions();

  @Option(
      names = "--along",
      description =
          "with all-gather: part of A that each rank holds, rows or columns (default: rows)")
  private @Nullable Along along;

  @Option(
      names = "--groups",
      defaultValue = "1",
      description =
          "number of groups of consecutive ranks that run the layer independently (default: 1)")
  private int groups;

  @Mixin private TuningOptions tuning = new TuningOptions();

  @Mixin private RoundOptions rounds = new RoundOptions();

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "file for the figures; with lists, a directory for one file per shape")
  private @Nullable Path json;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description = "file for the timeline of one overlapped step, for gemmflow report or Perfetto")
  private @Nullable Path trace;

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<Layer.Size> sizes = shape.all(operation.value(), operation.wire());
    boolean several = sizes.size() * ranks.allToStart().size() > 1;
    checkOptions(several);
    if (Launcher.current() == Launcher.NONE) {
      checkFiles(several);
    }
    Config config = tuning.config();
    List<Benchmark> benchmarks = sizes.stream().map(this::benchmark).toList();
    Job job = job(ranks, config);
    return job.run(
        world -> {
          checkGroups(world.size());
          for (Benchmark benchmark : benchmarks) {
            Outcome outcome = run(world, job, benchmark);
            if (world.rank() == 0) {
              tell(outcome, several, benchmark.equals(benchmarks.getFirst()));
            }
            if (!outcome.verified()) {
              throw new CommandException(ExitCode.NO, "the results are wrong: please report this");
            }
          }
        });
  }

  private void checkOptions(boolean several) {
    if (several && trace != null) {
      throw new CommandException(
          ExitCode.INPUT, "--trace takes one shape and one number of ranks: remove the lists");
    }
    boolean gathers = operation.value() == Operation.ALL_GATHER;
    if (gathers && (!shape.type().isReal() || operation.wire() != null)) {
      throw new CommandException(
          ExitCode.INPUT,
          "--operation all-gather does not support --dtype I8 or --wire: its rows travel unchanged");
    }
    if (!gathers && along != null) {
      throw new CommandException(ExitCode.INPUT, "--along requires --operation all-gather: add it");
    }
    if (gathers && (trace != null || groups != 1)) {
      throw new CommandException(
          ExitCode.INPUT, "--operation all-gather does not support --trace or --groups");
    }
  }

  private Benchmark benchmark(Layer.Size size) {
    return size.operation() == Operation.ALL_GATHER
        ? new GatherBenchmark(
            size.m(),
            size.k(),
            size.type(),
            along == Along.COLUMNS,
            rounds.warmup(),
            rounds.iterations())
        : new LayerBenchmark(size, groups, rounds.warmup(), rounds.iterations(), trace != null);
  }

  private void checkGroups(int size) {
    if (size % groups != 0) {
      throw new CommandException(
          ExitCode.INPUT, "%d ranks cannot be divided into %d groups".formatted(size, groups));
    }
  }

  private Outcome run(World world, Job job, Benchmark benchmark) {
    Progress progress = progress(world);
    return benchmark.run(world, progress, () -> job.bytesIntoHost(world.rank()));
  }

  private void tell(Outcome outcome, boolean several, boolean first) throws IOException {
    String head = first ? outcome.where() + outcome.heading() : "";
    output().say(several ? head + outcome.row() : outcome.text());
    OutputFile.write(fileOf(outcome, several), outcome.json() + "\n");
    if (outcome instanceof Result result && result.recording() != null) {
      OutputFile.write(trace, Trace.write(result.recording()));
    }
  }

  private void checkFiles(boolean several) {
    Path named = json;
    boolean isThere = named != null && Files.exists(named);
    boolean isDirectory = named != null && Files.isDirectory(named);
    if (several && isThere && !isDirectory) {
      throw new CommandException(
          ExitCode.INPUT,
          "--json %s is a file, but several benchmarks write one file each: name a directory"
              .formatted(named));
    }
    OutputFile.check(several || isDirectory ? null : named, trace);
  }

  /** A file of its own in a directory; otherwise the one that was named. */
  private @Nullable Path fileOf(Outcome outcome, boolean several) throws IOException {
    Path named = json;
    if (named == null) {
      return null;
    }
    if (several) {
      Files.createDirectories(named);
    }
    return Files.isDirectory(named) ? named.resolve(outcome.fileName()) : named;
  }
}
