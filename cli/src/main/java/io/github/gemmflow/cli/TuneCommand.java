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
    header = "Tries the ways of a layer that are predicted to be the best.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Schedules, paths of sums and sizes of messages between hosts, in turns with what the rules choose; the time of"
            + " a round is its slowest rank's. A way that the rounds show to be faster, by 3 %% or more, goes into the file of"
            + " costs, and jobs with"
            + " GEMMFLOW_COSTS=FILE choose it for such a layer. It changes no bit of a result.%n"
            + "Between 2 hosts there is one way only, and messages of several sizes.%n",
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
      description = "what gemmflow calibrate wrote; what wins is written there, too")
  private Path costs = Path.of("costs.txt");

  @Option(
      names = "--ways",
      defaultValue = "4",
      paramLabel = "COUNT",
      description = "to try, of those that are predicted to be the best (default: 4)")
  private int ways;

  @Mixin private RoundOptions rounds = new RoundOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (operation.value() == Operation.ALL_GATHER) {
      throw new CommandException(
          ExitCode.INPUT, "--operation all-gather multiplies nothing: ask for gather");
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
                ExitCode.INPUT,
                "on one host nothing travels, and there is nothing to try: start ranks on several hosts");
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
