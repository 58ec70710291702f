// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import io.github.gemmflow.Config;
import io.github.gemmflow.World;
import io.github.gemmflow.cli.bench.LayerBenchmark;
import io.github.gemmflow.cli.bench.Progress;
import io.github.gemmflow.cli.bench.RecordedStep;
import io.github.gemmflow.cli.bench.Result;
import io.github.gemmflow.cli.bench.Trace;
import io.github.gemmflow.mpi.binding.Launcher;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code gemmflow bench}: one linear layer, in all views. */
@Command(
    name = "bench",
    header = "Times one linear layer in several views.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "The views, interleaved: the product alone (gemm), the operator whose rows are all there"
            + " (computeOnly), the rows alone (commOnly), one after the other (sequential), and overlapped"
            + " (pipelined). The time of a round is its slowest rank's. Afterwards results are checked, exactly.%n"
            + "For sums, K is over all ranks, and each has all M rows. In a job that a launcher started it runs on"
            + " the ranks of that job; otherwise it starts ranks on this host.%n",
    footer = {
      "%nExample:",
      "  gemmflow bench -n 2 --gm 256 --gn 256 --json bench.json --trace trace.json"
    })
final class BenchCommand implements Callable<Integer> {
  @ParentCommand private Gemmflow parent = new Gemmflow();

  @Mixin private RankOptions ranks = new RankOptions();
  @Mixin private OperationOption operation = new OperationOption();
  @Mixin private ShapeOptions shape = new ShapeOptions();

  @Option(
      names = "--groups",
      defaultValue = "1",
      description = "groups of neighbouring ranks that run the layer side by side (default: 1)")
  private int groups;

  @Mixin private TuningOptions tuning = new TuningOptions();

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
  private @Nullable Path json;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description = "writes a pipelined step there, for gemmflow report or Perfetto")
  private @Nullable Path trace;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (Launcher.current() == Launcher.NONE) {
      OutputFile.check(json, trace);
    }
    Config config = tuning.config();
    LayerBenchmark benchmark =
        new LayerBenchmark(
            shape.of(operation.value()),
            groups,
            config.tuning(),
            warmup,
            iterations,
            trace != null);
    Job job = new Job(ranks, config, parent.output());
    return job.run(parent.arguments(), world -> run(world, job, benchmark));
  }

  private void run(World world, Job job, LayerBenchmark benchmark) {
    if (world.size() % groups != 0) {
      throw new CommandException(
          ExitCode.INPUT, "%d ranks cannot be cut into %d groups".formatted(world.size(), groups));
    }
    boolean tells = world.rank() == 0;
    Progress progress = tells ? parent.output().progress() : Progress.NONE;
    Result result = benchmark.run(world, progress, () -> job.bytesIntoHost(world.rank()));
    if (tells) {
      report(result);
    }
    if (!result.verified()) {
      throw new CommandException(ExitCode.NO, "the results are wrong: please report this");
    }
  }

  private void report(Result result) {
    parent.output().say(result.text());
    OutputFile.write(json, result.json() + "\n");
    RecordedStep recording = result.recording();
    if (recording != null) {
      OutputFile.write(trace, Trace.write(recording));
    }
  }
}
