// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import io.github.gemmflow.cli.job.CommandException;
import io.github.gemmflow.cli.job.ComputeOptions;
import io.github.gemmflow.cli.job.ExitCode;
import io.github.gemmflow.cli.job.Job;
import io.github.gemmflow.cli.job.OutputFile;
import io.github.gemmflow.cli.job.RankOptions;
import io.github.gemmflow.cli.job.Subcommand;
import io.github.gemmflow.measure.Progress;
import io.github.gemmflow.measure.layer.Operation;
import io.github.gemmflow.measure.tune.Trial;
import io.github.gemmflow.measure.tune.Tuner;
import io.github.gemmflow.tuning.cost.CostText;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code gemmflow tune}: the best ways of a layer, tried for real. */
@Command(
    name = "tune",
    header = "Measures the ways of a layer that are predicted to be the fastest.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Schedules, paths of sums and sizes of messages between hosts are measured in turn with the default. The"
            + " time of a round is that of its slowest rank. A way that is at least 3 %% faster is saved to the costs"
            + " file, and jobs with GEMMFLOW_COSTS=FILE use it for such a layer. Results stay the same, bit for bit.%n"
            + "Between 2 hosts, only the sizes of messages differ.%n",
    footer = {
      "%nExample:",
      "  gemmflow calibrate -n 3 --engine local --hosts 3 --dtypes BF16 -o c.txt",
      "  gemmflow tune -n 3 --engine local --hosts 3 --gm 96 --gk 64 --costs c.txt"
    })
final class TuneCommand extends Subcommand {
  @Mixin private RankOptions ranks = new RankOptions();
  @Mixin private OperationOptions operation = new OperationOptions();
  @Mixin private ShapeOptions shape = new ShapeOptions();
  @Mixin private ComputeOptions compute = new ComputeOptions();

  @Option(
      names = "--costs",
      required = true,
      paramLabel = "FILE",
      description = "file that gemmflow calibrate wrote; the fastest way is added to it")
  private Path costs = Path.of("costs.txt");

  @Option(
      names = "--ways",
      defaultValue = "4",
      paramLabel = "COUNT",
      description = "number of ways to try, the predicted best first (default: 4)")
  private int ways;

  @Mixin private RoundOptions rounds = new RoundOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (operation.value() == Operation.ALL_GATHER) {
      throw new CommandException(
          ExitCode.INPUT, "--operation all-gather has no product to tune: use gather");
    }
    ranks.toStart();
    Tuner tuner =
        new Tuner(
            shape.of(operation.value(), operation.wire()),
            ways,
            rounds.warmup(),
            rounds.iterations());
    Job job = job(ranks, compute.config().costs(costs).build());
    return job.run(
        world -> {
          if (world.group().hosts().count() == 1) {
            throw new CommandException(
                ExitCode.INPUT, "nothing to tune on one host: start ranks on several hosts");
          }
          Progress progress = progress(world);
          Trial trial = tuner.run(world, progress);
          if (!trial.verified()) {
            throw new CommandException(ExitCode.NO, "the results are wrong: please report this");
          }
          if (world.rank() == 0) {
            output().say(trial.text());
            OutputFile.write(costs, CostText.write(trial.outcome()));
          }
        });
  }
}
