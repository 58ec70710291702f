// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import io.github.gemmflow.World;
import io.github.gemmflow.cli.data.FileProduct;
import io.github.gemmflow.cli.data.Inputs;
import io.github.gemmflow.cli.data.Where;
import io.github.gemmflow.cli.job.RankOptions;
import io.github.gemmflow.cli.job.Subcommand;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.measure.Counted;
import io.github.gemmflow.mpi.binding.Launcher;
import java.io.IOException;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code gemmflow run}: a product, from files to files. */
@Command(
    name = "run",
    header = "Multiplies matrices in files on several ranks.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "C = A x B. Each rank has some rows of A and some columns of B, gets all rows of A while it multiplies,"
          + " and ends up with its columns of C.",
      "FILE is *.npy (float32, float16, int8, or uint16 for bfloat16) or *.safetensors, with #NAME if that has"
          + " several tensors. With {rank} in its name, each rank has its own file; otherwise all ranks share one file.",
      "In a job that a launcher started (mpirun, srun), it runs on the ranks of that job; otherwise it starts"
          + " ranks on this host.%n"
    },
    footer = {
      "%nExample:",
      "  gemmflow gen data --gm 512 --gk 256 --gn 128",
      "  gemmflow run -n 2 --a data/a.npy --b data/b.npy --out c.npy"
    })
final class RunCommand extends Subcommand {
  @Option(names = "--a", paramLabel = "FILE", required = true, description = "file of A, M x K")
  private String a = "";

  @Option(
      names = "--b",
      paramLabel = "FILE",
      required = true,
      description = "file of B, K x N, of the same type as A")
  private String b = "";

  @Option(
      names = {"-o", "--out"},
      paramLabel = "FILE",
      required = true,
      description = "file of C, M x N; with {rank}, one for each rank's columns")
  private String out = "";

  @Mixin private InputOptions input = new InputOptions();

  @Option(
      names = "--along",
      defaultValue = "rows",
      description = "part of A that each rank holds: rows or columns (default: rows)")
  private Along along = Along.ROWS;

  @Option(names = "--replicate", description = "all of B on every rank, and all of C")
  private boolean replicate;

  @Option(
      names = "--out-dtype",
      defaultValue = "F32",
      description = "type of C: F32 or the type of A; with int8 also BF16 or F16 (default: F32)")
  private DType outputType = DType.F32;

  @Option(
      names = "--int8",
      description = "products in int8: rows of A and columns of B are rounded with a scale each")
  private boolean rounds;

  @Option(
      names = "--groups",
      defaultValue = "1",
      description =
          "number of groups of consecutive ranks with a product each; {group} in a name is the number of the group (default: 1)")
  private int groups;

  @Mixin private RankOptions ranks = new RankOptions();
  @Mixin private TuningOptions tuning = new TuningOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    Inputs inputs =
        new Inputs(new Where(a), along == Along.COLUMNS, new Where(b), input.layout(), replicate);
    FileProduct product = new FileProduct(inputs, new Where(out), outputType, rounds, groups);
    if (Launcher.current() == Launcher.NONE || ranks.engine() == RankOptions.Engine.LOCAL) {
      // Before anything is started: one process finds what is wrong sooner, and says it once.
      ranks.orElse(groups * inputs.inGroup(0).ranks());
      product.check(ranks.toStart());
    }
    return job(ranks, tuning.config()).run(world -> run(world, product));
  }

  private void run(World world, FileProduct product) throws IOException {
    FileProduct.Outcome outcome = product.run(world, progress(world));
    if (world.rank() == 0) {
      output().say(describe(world, outcome));
      if (output().isVerbose()) {
        output().say(outcome.plan().toString());
      }
    }
  }

  private String describe(World world, FileProduct.Outcome outcome) {
    FileProduct.Times times = outcome.times();
    return String.format(
        Locale.ROOT,
        "%s: %d x %d x %d %s on %s%s, %s, kernel %s (%s)%n"
            + "reading and packing %.3f s, product %.3f s, writing %.3f s%n",
        out,
        outcome.m(),
        outcome.k(),
        outcome.n(),
        outcome.type(),
        Counted.of(world.size(), "rank"),
        groups == 1 ? "" : " in %d groups".formatted(groups),
        world.engineName(),
        world.kernel().name(),
        world.kernel().instructions(),
        times.reading() / 1e9,
        times.product() / 1e9,
        times.writing() / 1e9);
  }
}
