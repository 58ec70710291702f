// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.llama;

import io.github.gemmflow.Config;
import io.github.gemmflow.Group;
import io.github.gemmflow.World;
import io.github.gemmflow.cli.bench.Counted;
import io.github.gemmflow.files.SafeTensorsWriter;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.tuning.Overlap;
import io.github.gemmflow.tuning.Tuning;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Command that continues prompts with a model, on all ranks of a job, alone, or with ranks as
 * threads.
 */
@Command(
    name = "generate",
    description = "Continues prompts with a Llama model, greedily, and says how long it took.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class Generate implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--model",
      required = true,
      paramLabel = "DIR",
      description =
          "config.json and *.safetensors, as Hugging Face has them; every rank reads them")
  private Path model = Path.of("");

  @Option(
      names = "--prompts",
      paramLabel = "FILE",
      description = "one prompt in each line, as numbers of tokens")
  private @Nullable Path promptFile;

  @Option(
      names = "--random-prompts",
      paramLabel = "N",
      defaultValue = "20",
      description = "so many random ones, unless there is a file (default: ${DEFAULT-VALUE})")
  private int randomPrompts;

  @Option(
      names = "--seed",
      defaultValue = "1",
      description = "of random prompts (default: ${DEFAULT-VALUE})")
  private long seed;

  @Option(
      names = "--tokens",
      defaultValue = "64",
      description = "to continue each prompt with (default: ${DEFAULT-VALUE})")
  private int tokens;

  @Option(
      names = "--stop",
      defaultValue = "-1",
      paramLabel = "TOKEN",
      description = "ends a sequence early (default: none does)")
  private int stop;

  @Option(
      names = "--type",
      defaultValue = "BF16",
      description = "to multiply in: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
  private DType type = DType.BF16;

  @Option(
      names = "--overlap",
      description =
          "rows travel while others are multiplied, or before: ${COMPLETION-CANDIDATES}"
              + " (default: by rule)")
  private @Nullable Overlap overlap;

  @Mixin private Ranks ranks = new Ranks();

  @Option(
      names = "--logits-out",
      paramLabel = "FILE",
      description = "writes a tensor 'prompt.N' of all logits for each prompt there")
  private @Nullable Path logitsOut;

  public static void main(String[] arguments) {
    System.exit(Program.of(new Generate()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException {
    Config.Builder builder = Config.builder();
    if (overlap != null) {
      builder.tuning(builder.build().tuning().withOverlap(overlap));
    }
    Config config = builder.build();
    try (Checkpoint checkpoint = Checkpoint.open(model)) {
      List<int[]> prompts =
          promptFile == null
              ? Prompts.random(randomPrompts, checkpoint.config().vocabulary(), seed)
              : Prompts.read(promptFile);
      ranks.run(config, world -> run(world, checkpoint, prompts));
    }
    return 0;
  }

  /** What each rank does. */
  private void run(World world, Checkpoint checkpoint, List<int[]> prompts) {
    int rows = prompts.stream().mapToInt(prompt -> prompt.length).sum();
    Group group = world.group();
    Weights weights = Weights.of(world, checkpoint, type);
    Tuning tuning = world.config().tuning();
    try (Llama llama = new Llama(group, weights, tuning, 1, rows, prompts.size())) {
      Greedy greedy = new Greedy(llama, prompts, tokens, stop);
      if (logitsOut != null) {
        greedy.keepLogits();
      }
      greedy.run();
      if (world.rank() == 0) {
        report(world, group, greedy, rows);
        writeLogits(greedy, checkpoint.config().vocabulary());
      }
    }
  }

  private void report(World world, Group group, Greedy greedy, int rows) {
    PrintWriter out = spec.commandLine().getOut();
    for (int i = 0; i < greedy.tokens().size(); i++) {
      String words = greedy.tokens().get(i).toString().replaceAll("[\\[\\],]", "");
      out.printf("prompt %d: %s%n", i, words);
    }
    out.printf(
        "%s on %s, %s, %s%n",
        Counted.of(group.size(), "rank"),
        Counted.of(group.domains().count(), "host"),
        type,
        world.kernel().name());
    out.printf("prefill %.2f ms for %d tokens%n", greedy.prefillMillis(), rows);
    out.printf(
        "decode %.2f ms per token of all %d sequences%n",
        greedy.decodeMillis(), greedy.tokens().size());
    out.flush();
  }

  private void writeLogits(Greedy greedy, int vocabulary) {
    Path file = logitsOut;
    if (file == null) {
      return;
    }
    SafeTensorsWriter writer = new SafeTensorsWriter();
    for (int i = 0; i < greedy.logits().size(); i++) {
      List<float[]> logits = greedy.logits().get(i);
      writer.add(
          "prompt." + i,
          DType.F32,
          List.of((long) logits.size(), (long) vocabulary),
          (rows, first) -> {
            for (int row = 0; row < rows.rows(); row++) {
              rows.rows(row, row + 1).copyFrom(logits.get((int) first + row));
            }
          });
    }
    try {
      writer.write(file);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + file + ": " + e, e);
    }
  }
}
