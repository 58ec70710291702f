// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve;

import io.github.gemmflow.Config;
import io.github.gemmflow.Group;
import io.github.gemmflow.World;
import io.github.gemmflow.cli.job.ComputeOptions;
import io.github.gemmflow.cli.job.OutputFile;
import io.github.gemmflow.cli.job.RankOptions;
import io.github.gemmflow.cli.job.Subcommand;
import io.github.gemmflow.measure.Counted;
import io.github.gemmflow.measure.Meeting;
import io.github.gemmflow.measure.record.RecordedStep;
import io.github.gemmflow.measure.record.Trace;
import io.github.gemmflow.models.batch.Greedy;
import io.github.gemmflow.models.checkpoint.Checkpoint;
import io.github.gemmflow.models.checkpoint.ModelConfig;
import io.github.gemmflow.models.decoder.Decoder;
import io.github.gemmflow.models.decoder.Sequence;
import io.github.gemmflow.models.decoder.Weights;
import io.github.gemmflow.tuning.Overlap;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code gemmflow generate}: continues prompts with a model. */
@Command(
    name = "generate",
    header = "Continues prompts with a model on several ranks.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Always takes the most likely token, and prints the times. Supports Llama, Mistral and Qwen models;"
            + " refuses others.%n"
            + "In a job that a launcher started (mpirun, srun), it runs on the ranks of that job; otherwise on one"
            + " rank, or on the number of ranks that -n sets.%n",
    footer = {
      "%nExample:",
      "  gemmflow generate --model DIR -n 2 --prompt \"Once upon a time\" --tokens 100"
    })
public final class GenerateCommand extends Subcommand {
  @Mixin private ModelOptions model = new ModelOptions();

  @Option(
      names = "--prompt",
      paramLabel = "TEXT",
      description = "text to continue; the continuation is printed as it comes")
  private @Nullable String prompt;

  @Option(
      names = "--prompts",
      paramLabel = "FILE",
      description = "file with one prompt per line, as token IDs")
  private @Nullable Path promptFile;

  @Option(
      names = "--random-prompts",
      paramLabel = "COUNT",
      defaultValue = "20",
      description = "number of random prompts, if no others are given (default: 20)")
  private int randomPrompts;

  @Option(
      names = "--seed",
      defaultValue = "1",
      description = "seed of the random prompts (default: 1)")
  private long seed;

  @Option(
      names = "--tokens",
      paramLabel = "COUNT",
      defaultValue = "64",
      description = "tokens to add to each prompt (default: 64)")
  private int tokens;

  @Option(
      names = "--stop",
      paramLabel = "TOKEN",
      description = "token that ends a text early; -1 for none (default: those of config.json)")
  private @Nullable Integer stop;

  @Option(
      names = "--overlap",
      description = "overlap: pipelined or sequential (default: automatic)")
  private @Nullable Overlap overlap;

  @Option(
      names = "--warmup",
      paramLabel = "ROUNDS",
      defaultValue = "0",
      description = "runs before the one that is timed (default: 0)")
  private int warmup;

  @Mixin private ShareOption shares = new ShareOption();
  @Mixin private RankOptions ranks = new RankOptions();
  @Mixin private ComputeOptions compute = new ComputeOptions();

  @Option(
      names = "--logits-out",
      paramLabel = "FILE",
      description = "safetensors file for all logits: a tensor prompt.N for each prompt")
  private @Nullable Path logitsOut;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description = "file for the timeline of one more token, for gemmflow report or Perfetto")
  private @Nullable Path trace;

  @Override
  public Integer call() throws IOException, InterruptedException {
    checkOutput(logitsOut, trace);
    ranks.orElse(1);
    ranks.toStart();
    try (Checkpoint checkpoint = Checkpoint.open(model.directory());
        Text text = Text.of(model.directory(), output()::say)) {
      List<int[]> prompts = prompts(checkpoint.config(), text);
      return job(ranks, config()).run(world -> run(world, checkpoint, prompts, text));
    }
  }

  private Config config() {
    Config.Builder builder = compute.config();
    if (overlap != null) {
      builder.tuning(builder.tuning().withOverlap(overlap));
    }
    return builder.build();
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
            "prompt %d has %d tokens, and is continued with %d: the model supports sequences of at most %d. Give a shorter prompt, or fewer --tokens"
                .formatted(i, all.get(i).length, tokens, shape.positions()));
      }
    }
    return all;
  }

  /** What each rank does. */
  private void run(World world, Checkpoint checkpoint, List<int[]> prompts, Text text) {
    int rows = prompts.stream().mapToInt(tokensOfOne -> tokensOfOne.length).sum();
    Group group = world.group();
    Weights weights = shares.weights(world, checkpoint, model.type());
    List<Integer> ends = stop == null ? checkpoint.config().ends() : List.of(stop);
    boolean isPrinted = prompt != null && world.rank() == 0;
    IntConsumer listener = isPrinted ? text::print : token -> {};
    try (Decoder decoder = new Decoder(group, weights, world.tuning(), 1, rows, prompts.size())) {
      for (int i = 0; i < warmup; i++) {
        new Greedy(decoder, prompts, tokens, ends, token -> {}, false).run();
      }
      Greedy greedy = new Greedy(decoder, prompts, tokens, ends, listener, logitsOut != null).run();
      if (isPrinted) {
        text.end();
      }
      if (world.rank() == 0) {
        report(world, greedy, rows);
        writeLogits(greedy);
      }
      if (trace != null) {
        RecordedStep recording = recordToken(world, decoder, prompts);
        if (world.rank() == 0) {
          OutputFile.write(trace, Trace.write(recording));
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

  private void report(World world, Greedy greedy, int rows) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; prompt == null && i < greedy.tokens().size(); i++) {
      String words = greedy.tokens().get(i).toString().replaceAll("[\\[\\],]", "");
      text.append("prompt %d: %s%n".formatted(i, words));
    }
    text.append(
        "%s on %s, %s, %s%n"
            .formatted(
                Counted.of(world.size(), "rank"),
                Counted.of(world.group().hosts().count(), "host"),
                model.type(),
                world.kernel().name()));
    text.append(
        String.format(
            Locale.ROOT,
            "prefill %.2f ms for %d tokens%ndecode %.2f ms per token of all %d sequences%n",
            greedy.prefillMillis(),
            rows,
            greedy.decodeMillis(),
            greedy.tokens().size()));
    output().say(text.toString());
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
