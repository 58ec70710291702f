// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.model;

import io.github.gemmflow.World;
import io.github.gemmflow.cli.job.CommandException;
import io.github.gemmflow.cli.job.ComputeOptions;
import io.github.gemmflow.cli.job.ExitCode;
import io.github.gemmflow.cli.job.OutputFile;
import io.github.gemmflow.cli.job.RankOptions;
import io.github.gemmflow.cli.job.Subcommand;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.measure.record.RecordedStep;
import io.github.gemmflow.measure.record.Trace;
import io.github.gemmflow.models.checkpoint.Checkpoint;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prefill}: times what overlap gains in the prefill of a whole model. */
@Command(
    name = "prefill",
    header = "Times the first pass over random prompts with a model.",
    description =
        "The ways, interleaved: two halves of the prompts at a time, all prompts without overlap, the traffic"
            + " alone, all prompts with overlap, and the halves once more. The time of a pass is its slowest rank's. Logits"
            + " are checked: in halves, against the halves run in sequence.%n",
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class PrefillCommand extends Subcommand {
  @Option(
      names = "--model",
      required = true,
      paramLabel = "DIR",
      description = "directory with config.json and *.safetensors; every rank reads it")
  private Path directory = Path.of("");

  @Option(
      names = "--dtype",
      paramLabel = "TYPE",
      defaultValue = "BF16",
      description = "type to multiply in: BF16, F16, F32 or I8 (default: BF16)")
  private DType type = DType.BF16;

  @Option(
      names = "--rows",
      defaultValue = "2048",
      description = "tokens of all prompts together (default: ${DEFAULT-VALUE})")
  private int rows;

  @Option(
      names = "--prompts",
      paramLabel = "COUNT",
      defaultValue = "8",
      description = "prompts, of different lengths (default: ${DEFAULT-VALUE})")
  private int prompts;

  @Option(
      names = "--rounds",
      defaultValue = "11",
      description = "rounds that count (default: ${DEFAULT-VALUE})")
  private int rounds;

  @Option(
      names = "--warmup",
      paramLabel = "ROUNDS",
      defaultValue = "3",
      description = "rounds before those that count (default: ${DEFAULT-VALUE})")
  private int warmup;

  @Option(
      names = "--seed",
      defaultValue = "1",
      description = "seed of the prompts (default: ${DEFAULT-VALUE})")
  private long seed;

  @Mixin private RankOptions ranks = new RankOptions();
  @Mixin private ComputeOptions compute = new ComputeOptions();

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description = "timeline of a prefill in halves, for gemmflow report or Perfetto")
  private @Nullable Path trace;

  @Override
  public Integer call() throws IOException, InterruptedException {
    checkOutput(trace);
    ranks.toStart();
    try (Checkpoint checkpoint = Checkpoint.open(directory)) {
      PrefillBenchmark benchmark =
          new PrefillBenchmark(
              RandomPrompts.of(prompts, rows, checkpoint.config().vocabulary(), seed),
              type,
              warmup,
              rounds,
              trace != null);
      return job(ranks, compute.config().build()).run(world -> run(world, checkpoint, benchmark));
    }
  }

  /** What each rank does. */
  private void run(World world, Checkpoint checkpoint, PrefillBenchmark benchmark) {
    PrefillResult result = benchmark.run(world, checkpoint);
    if (world.rank() == 0) {
      output().say(result.text());
      RecordedStep recording = result.recording();
      if (recording != null) {
        OutputFile.write(trace, Trace.write(recording));
      }
    }
    if (!result.sameLogits()) {
      throw new CommandException(ExitCode.NO, "the logits are wrong: please report this");
    }
  }
}
