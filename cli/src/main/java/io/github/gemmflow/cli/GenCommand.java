// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import io.github.gemmflow.cli.data.Generator;
import io.github.gemmflow.cli.data.Values;
import io.github.gemmflow.cli.job.ExitCode;
import io.github.gemmflow.cli.job.Subcommand;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code gemmflow gen}: matrices, and what their product should be. */
@Command(
    name = "gen",
    header = "Generates matrices A and B, and their product.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Writes A (M x K), B (K x N) and golden = A x B (M x N, F32), the same for the same seed. The product"
            + " is computed in double precision, independently of gemmflow run. SHA256SUMS has the checksums of"
            + " the files.%n",
    footer = {"%nExample:", "  gemmflow gen data --gm 512 --gk 256 --gn 128 --shards 4"})
final class GenCommand extends Subcommand {
  /** What files can be written. */
  enum Format {
    NPY,
    SAFETENSORS
  }

  @Parameters(paramLabel = "DIRECTORY", description = "output directory, created if missing")
  private Path directory = Path.of("");

  @Mixin private ShapeOptions shape = new ShapeOptions();

  @Option(
      names = "--values",
      defaultValue = "integers",
      description =
          "type of values: integers, small, so that products are exact; or reals (default: integers)")
  private Values values = Values.INTEGERS;

  @Option(names = "--seed", defaultValue = "1", description = "seed of the values (default: 1)")
  private long seed;

  @Option(
      names = "--shards",
      defaultValue = "0",
      paramLabel = "COUNT",
      description =
          "number of files for A: a-0, a-1, ..., one for each rank; removes files of a larger number")
  private int shards;

  @Option(
      names = "--format",
      defaultValue = "npy",
      description = "file format: npy or safetensors (default: npy)")
  private Format format = Format.NPY;

  @Override
  public Integer call() throws IOException {
    Generator generator =
        new Generator(
            directory,
            format.name().toLowerCase(Locale.ROOT),
            shape.m(),
            shape.k(),
            shape.n(),
            shape.type(),
            values,
            seed,
            shards);
    List<Path> files = generator.run(output().progress());
    output()
        .say(
            "%d x %d times %d x %d %s, %s from seed %d: %s%n"
                .formatted(
                    shape.m(),
                    shape.k(),
                    shape.k(),
                    shape.n(),
                    shape.type(),
                    values,
                    seed,
                    String.join(" ", files.stream().map(Path::toString).toList())));
    return ExitCode.GOOD.number();
  }
}
