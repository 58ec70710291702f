// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.measure.Progress;
import io.github.gemmflow.measure.calibrate.Calibration;
import io.github.gemmflow.mpi.binding.Launcher;
import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.CostText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code gemmflow calibrate}: what machines and links cost. */
@Command(
    name = "calibrate",
    header = "Measures what this machine and the links of a job cost.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Products by type and height, sums, messages, and between hosts latency and rate; it takes less than a"
            + " minute. The file is for gemmflow predict, and for jobs: GEMMFLOW_COSTS=FILE.%n"
            + "In a job that a launcher started all ranks measure at the same time, since those of one machine share its"
            + " memory. Of a link only a job on several hosts can say anything.%n",
    footer = {
      "%nExample:",
      "  gemmflow calibrate -n 1 --dtypes I8 -o costs.txt",
      "  mpirun -n 2 --host a,b gemmflow calibrate -o costs.txt"
    })
final class CalibrateCommand implements Callable<Integer> {
  @ParentCommand private Gemmflow parent = new Gemmflow();

  @Mixin private RankOptions ranks = new RankOptions();

  @Mixin private ComputeOptions compute = new ComputeOptions();

  @Option(
      names = "--dtypes",
      split = ",",
      defaultValue = "F32,BF16,I8",
      paramLabel = "TYPE",
      description = "of products to measure (default: F32, BF16 and I8)")
  private List<DType> types = List.of();

  @Option(
      names = {"-o", "--output"},
      defaultValue = "costs.txt",
      paramLabel = "FILE",
      description = "where the costs go (default: costs.txt)")
  private Path output = Path.of("costs.txt");

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (Launcher.current() == Launcher.NONE) {
      OutputFile.check(output);
    }
    ranks.toStart();
    Job job = new Job(ranks, compute.config().build(), parent.output());
    return job.run(
        parent.arguments(),
        world -> {
          Progress progress = world.rank() == 0 ? parent.output().progress() : Progress.NONE;
          CostModel costs = Calibration.measure(world, types, progress);
          if (world.rank() == 0) {
            OutputFile.write(output, CostText.write(costs));
            parent.output().say("%s: %s%n".formatted(output, costs));
          }
        });
  }
}
