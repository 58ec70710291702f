// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.prefill;

import io.github.gemmflow.Config;
import io.github.gemmflow.World;
import io.github.gemmflow.examples.command.ModelOptions;
import io.github.gemmflow.examples.command.Program;
import io.github.gemmflow.examples.command.Ranks;
import io.github.gemmflow.examples.command.TraceFile;
import io.github.gemmflow.examples.generate.Prompts;
import io.github.gemmflow.measure.record.RecordedStep;
import io.github.gemmflow.models.checkpoint.Checkpoint;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Command that says what overlap gains in the prefill of a whole model. */
@Command(
    name = "prefill",
    description =
        "Times the first pass over random prompts with a Llama model, interleaved: two halves of the prompts at"
            + " a time, all prompts without overlap, what they send alone, all prompts with overlap, and the halves"
            + " once more. The time of a pass is its slowest rank's. Logits are checked: in halves, against the halves"
            + " run one after the other.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class Prefill implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private ModelOptions model = new ModelOptions();

  @Option(
      names = "--rows",
      defaultValue = "2048",
      description = "tokens of all prompts together (default: ${DEFAULT-VALUE})")
  private int rows;

  @Option(
      names = "--prompts",
      paramLabel = "N",
      defaultValue = "8",
      description = "so many, of different lengths (default: ${DEFAULT-VALUE})")
  private int prompts;

  @Option(
      names = "--rounds",
      defaultValue = "11",
      description = "that count (default: ${DEFAULT-VALUE})")
  private int rounds;

  @Option(
      names = "--warmup",
      paramLabel = "ROUNDS",
      defaultValue = "3",
      description = "before those that count (default: ${DEFAULT-VALUE})")
  private int warmup;

  @Option(
      names = "--seed",
      defaultValue = "1",
      description = "of the prompts (default: ${DEFAULT-VALUE})")
  private long seed;

  @Mixin private Ranks ranks = new Ranks();

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description = "writes a prefill in halves there, for gemmflow report or Perfetto")
  private @Nullable Path trace;

  private final AtomicBoolean good = new AtomicBoolean(true);

  public static void main(String[] arguments) {
    Program.run(new Prefill(), arguments);
  }

  @Override
  public Integer call() throws IOException {
    try (Checkpoint checkpoint = Checkpoint.open(model.directory())) {
      PrefillBenchmark benchmark =
          new PrefillBenchmark(
              Prompts.random(prompts, rows, checkpoint.config().vocabulary(), seed),
              model.type(),
              warmup,
              rounds,
              trace != null);
      ranks.run(Config.load(), world -> run(world, checkpoint, benchmark));
    }
    return good.get() ? 0 : 1;
  }

  /** What each rank does. */
  private void run(World world, Checkpoint checkpoint, PrefillBenchmark benchmark) {
    PrefillResult result = benchmark.run(world, checkpoint);
    good.compareAndSet(true, result.sameLogits());
    if (world.rank() == 0) {
      PrintWriter out = spec.commandLine().getOut();
      out.print(result.text());
      out.flush();
      RecordedStep recording = result.recording();
      if (recording != null && trace != null) {
        TraceFile.write(trace, recording);
      }
    }
  }
}
