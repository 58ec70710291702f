// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.generate;

import io.github.gemmflow.Config;
import io.github.gemmflow.Group;
import io.github.gemmflow.World;
import io.github.gemmflow.examples.command.ModelOptions;
import io.github.gemmflow.examples.command.Program;
import io.github.gemmflow.examples.command.Ranks;
import io.github.gemmflow.examples.command.RowsFile;
import io.github.gemmflow.examples.command.ShareOption;
import io.github.gemmflow.examples.command.TraceFile;
import io.github.gemmflow.measure.Counted;
import io.github.gemmflow.measure.Meeting;
import io.github.gemmflow.measure.record.RecordedStep;
import io.github.gemmflow.models.checkpoint.Checkpoint;
import io.github.gemmflow.models.checkpoint.ModelConfig;
import io.github.gemmflow.models.decoder.Decoder;
import io.github.gemmflow.models.decoder.Sequence;
import io.github.gemmflow.models.decoder.Weights;
import io.github.gemmflow.tuning.Overlap;
import io.github.gemmflow.tuning.Tuning;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.IntConsumer;
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
    description =
        "Continues prompts with a model of the kind of Llama, Mistral or Qwen, greedily, and says how long it took.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class Generate implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private ModelOptions model = new ModelOptions();

  @Option(
      names = "--prompt",
      paramLabel = "TEXT",
      description = "a prompt; what it is continued with is printed as it comes")
  private @Nullable String prompt;

  @Option(
      names = "--prompts",
      paramLabel = "FILE",
      description = "one prompt in each line, as numbers of tokens")
  private @Nullable Path promptFile;

  @Option(
      names = "--random-prompts",
      paramLabel = "N",
      defaultValue = "20",
      description = "so many random ones, unless others are given (default: ${DEFAULT-VALUE})")
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
      paramLabel = "TOKEN",
      description = "ends a sequence early; -1 for none (default: what config.json says)")
  private @Nullable Integer stop;

  @Option(
      names = "--overlap",
      description =
          "rows travel while others are multiplied, or before: ${COMPLETION-CANDIDATES}"
              + " (default: by rule)")
  private @Nullable Overlap overlap;

  @Option(
      names = "--warmup",
      paramLabel = "N",
      defaultValue = "0",
      description = "runs so often before the one that is timed (default: ${DEFAULT-VALUE})")
  private int warmup;

  @Mixin private ShareOption shares = new ShareOption();

  @Mixin private Ranks ranks = new Ranks();

  @Option(
      names = "--logits-out",
      paramLabel = "FILE",
      description = "writes a tensor 'prompt.N' of all logits for each prompt there")
  private @Nullable Path logitsOut;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description = "writes one more token of each prompt there, for gemmflow report or Perfetto")
  private @Nullable Path trace;

  public static void main(String[] arguments) {
    Program.run(new Generate(), arguments);
  }

  @Override
  public Integer call() throws IOException {
    Config.Builder builder = Config.builder();
    if (overlap != null) {
      builder.tuning(builder.build().tuning().withOverlap(overlap));
    }
    Config config = builder.build();
    try (Checkpoint checkpoint = Checkpoint.open(model.directory());
        Text text = Text.of(model.directory(), spec.commandLine().getOut())) {
      List<int[]> prompts = prompts(checkpoint.config(), text);
      ranks.run(config, world -> run(world, checkpoint, prompts, text));
    }
    return 0;
  }

  private List<int[]> prompts(ModelConfig shape, Text text) throws IOException {
    List<int[]> all;
    if (prompt != null) {
      all = List.of(text.tokens(prompt));
    } else if (promptFile != null) {
      all = Prompts.read(promptFile);
    } else {
      all = Prompts.random(randomPrompts, shape.vocabulary(), seed);
    }
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).length > shape.positions() - tokens) {
        throw new IllegalArgumentException(
            "prompt %d has %d tokens, and is continued with %d: the model knows texts of %d at most. Give a shorter prompt, or fewer --tokens"
                .formatted(i, all.get(i).length, tokens, shape.positions()));
      }
    }
    return all;
  }

  /** What each rank does. */
  private void run(World world, Checkpoint checkpoint, List<int[]> prompts, Text text) {
    int rows = prompts.stream().mapToInt(tokensOfOne -> tokensOfOne.length).sum();
    ModelConfig shape = checkpoint.config();
    Group group = world.group();
    Weights weights = shares.weights(world, checkpoint, model.type());
    Tuning tuning = world.tuning();
    List<Integer> ends = stop == null ? shape.ends() : List.of(stop);
    boolean isPrinted = prompt != null && world.rank() == 0;
    IntConsumer listener = isPrinted ? text::print : token -> {};
    try (Decoder decoder = new Decoder(group, weights, tuning, 1, rows, prompts.size())) {
      for (int i = 0; i < warmup; i++) {
        new Greedy(decoder, prompts, tokens, ends, token -> {}, false).run();
      }
      Greedy greedy = new Greedy(decoder, prompts, tokens, ends, listener, logitsOut != null).run();
      if (isPrinted) {
        text.end();
      }
      if (world.rank() == 0) {
        report(world, group, greedy, rows);
        writeLogits(greedy);
      }
      if (trace != null) {
        RecordedStep recording = recordToken(world, decoder, prompts);
        if (world.rank() == 0) {
          TraceFile.write(trace, recording);
        }
      }
    }
  }

  /** One more token of each prompt; which one does not matter. Collective. */
  private static RecordedStep recordToken(World world, Decoder decoder, List<int[]> prompts) {
    List<Sequence> sequences = prompts.stream().map(decoder::begin).toList();
    float[][] _ = decoder.run(sequences);
    Runnable token =
        () -> {
          sequences.forEach(sequence -> sequence.append(0));
          float[][] _ = decoder.run(sequences);
        };
    try (Meeting meeting = new Meeting(world)) {
      return RecordedStep.of(world, decoder.spaces(prompts.size()), token, meeting);
    }
  }

  private void report(World world, Group group, Greedy greedy, int rows) {
    PrintWriter out = spec.commandLine().getOut();
    for (int i = 0; prompt == null && i < greedy.tokens().size(); i++) {
      String words = greedy.tokens().get(i).toString().replaceAll("[\\[\\],]", "");
      out.printf("prompt %d: %s%n", i, words);
    }
    out.printf(
        "%s on %s, %s, %s%n",
        Counted.of(group.size(), "rank"),
        Counted.of(group.domains().count(), "host"),
        model.type(),
        world.kernel().name());
    out.printf("prefill %.2f ms for %d tokens%n", greedy.prefillMillis(), rows);
    out.printf(
        "decode %.2f ms per token of all %d sequences%n",
        greedy.decodeMillis(), greedy.tokens().size());
    out.flush();
  }

  private void writeLogits(Greedy greedy) {
    if (logitsOut != null) {
      RowsFile file = new RowsFile();
      for (int i = 0; i < greedy.logits().size(); i++) {
        file.add("prompt." + i, greedy.logits().get(i));
      }
      file.write(logitsOut);
    }
  }
}
