// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import io.github.gemmflow.cli.job.ComputeOptions;
import io.github.gemmflow.cli.job.Job;
import io.github.gemmflow.cli.job.OutputFile;
import io.github.gemmflow.cli.job.RankOptions;
import io.github.gemmflow.cli.job.Subcommand;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.measure.Progress;
import io.github.gemmflow.measure.calibrate.Calibration;
import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.CostText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code gemmflow calibrate}: what machines and links cost. */
@Command(
    name = "calibrate",
    header = "Measures the costs of this machine and of the links of a job.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Measures products by type and number of rows, sums, messages, and the latency and rate between"
            + " hosts, in less than a minute. The file is for gemmflow predict, and for jobs: GEMMFLOW_COSTS=FILE.%n"
            + "In a job that a launcher started, all ranks measure at the same time, because ranks of one"
            + " machine share its memory. Links are measured only in a job on several hosts.%n",
    footer = {
      "%nExample:",
      "  gemmflow calibrate -n 1 --dtypes I8 -o costs.txt",
      "  mpirun -n 2 --host a,b gemmflow calibrate -o costs.txt"
    })
final class CalibrateCommand extends Subcommand {
  @Mixin private RankOptions ranks = new RankOptions();

  @Mixin private ComputeOptions compute = new ComputeOptions();

  @Option(
      names = "--dtypes",
      split = ",",
      defaultValue = "F32,BF16,I8",
      paramLabel = "TYPE",
      description = "types of products to measure (default: F32, BF16 and I8)")
  private List<DType> types = List.of();

  @Option(
      names = {"-o", "--output"},
      defaultValue = "costs.txt",
      paramLabel = "FILE",
      description = "file for the costs (default: costs.txt)")
  private Path output = Path.of("costs.txt");

  @Override
  public Integer call() throws IOException, InterruptedException {
    checkOutput(output);
    ranks.toStart();
    Job job = job(ranks, compute.config().build());
    return job.run(
        world -> {
          Progress progress = progress(world);
          CostModel costs = Calibration.measure(world, types, progress);
          if (world.rank() == 0) {
            OutputFile.write(output, CostText.write(costs));
            output().say("%s: %s%n".formatted(output, costs));
          }
        });
  }
}
