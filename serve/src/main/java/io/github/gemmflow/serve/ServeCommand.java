// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve;

import io.github.gemmflow.Group;
import io.github.gemmflow.World;
import io.github.gemmflow.cli.job.ComputeOptions;
import io.github.gemmflow.cli.job.RankOptions;
import io.github.gemmflow.cli.job.Subcommand;
import io.github.gemmflow.models.batch.RankLoop;
import io.github.gemmflow.models.batch.Scheduler;
import io.github.gemmflow.models.checkpoint.Checkpoint;
import io.github.gemmflow.models.decoder.Decoder;
import io.github.gemmflow.models.decoder.Weights;
import io.github.gemmflow.serve.http.PromptReader;
import io.github.gemmflow.serve.http.ServedModel;
import io.github.gemmflow.serve.http.Service;
import io.github.gemmflow.text.Tokenizer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code gemmflow serve}: answers requests over HTTP with a model. */
@Command(
    name = "serve",
    header = "Answers requests over HTTP with a model on several ranks.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Implements OpenAI's HTTP API: /v1/completions, /v1/chat/completions and /v1/models. Rank 0 listens. /health"
            + " reports whether it is ready, /metrics has counters. SIGTERM shuts it down; pending requests receive"
            + " an error.%n"
            + "In a job that a launcher started (mpirun, srun), it runs on the ranks of that job; otherwise on one"
            + " rank, or on the number of ranks that -n sets.%n",
    footer = {"%nExample:", "  gemmflow serve --model DIR -n 2"})
public final class ServeCommand extends Subcommand {
  /** What a body takes of memory while it is read: pieces, and then one array. */
  private static final int COPIES = 2;

  @Mixin private ModelOptions model = new ModelOptions();

  @Option(
      names = "--address",
      defaultValue = "127.0.0.1",
      description =
          "address to listen on; only this host can reach the default (default: 127.0.0.1)")
  private String address = "127.0.0.1";

  @Option(
      names = "--port",
      defaultValue = "8080",
      description = "port to listen on; 0 for any free one (default: 8080)")
  private int port;

  @Option(
      names = "--allowed-hosts",
      split = ",",
      paramLabel = "NAME",
      description =
          "host names that clients may use in addition to --address, localhost and numbers; others are refused (403)")
  private List<String> allowedHosts = List.of();

  @Option(
      names = "--max-sequences",
      defaultValue = "16",
      paramLabel = "COUNT",
      description = "sequences that are generated at a time (default: 16)")
  private int maxSequences;

  @Option(
      names = "--max-rows",
      defaultValue = "256",
      paramLabel = "COUNT",
      description = "rows of a pass over all sequences (default: 256)")
  private int maxRows;

  @Option(
      names = "--max-waiting",
      defaultValue = "64",
      paramLabel = "COUNT",
      description = "requests that may wait; more are refused (503) (default: 64)")
  private int maxWaiting;

  @Option(
      names = "--max-tokens",
      defaultValue = "4096",
      paramLabel = "COUNT",
      description = "tokens of a sequence, prompt and answer together (default: 4096)")
  private int maxTokens;

  @Option(
      names = "--max-bytes",
      defaultValue = "1048576",
      paramLabel = "COUNT",
      description = "size of a request in bytes (default: 1048576)")
  private int maxBytes;

  @Mixin private ShareOption shares = new ShareOption();
  @Mixin private RankOptions ranks = new RankOptions();
  @Mixin private ComputeOptions compute = new ComputeOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    checkLimits();
    ranks.orElse(1);
    ranks.toStart();
    Service.limitHttp();
    Path directory = model.directory();
    try (Checkpoint checkpoint = Checkpoint.open(directory);
        Tokenizer tokenizer =
            Tokenizer.of(directory)
                .orElseThrow(
                    () -> new IllegalArgumentException(directory + " has no tokenizer.json"))) {
      ServedModel served =
          new ServedModel(
              directory.toAbsolutePath().normalize().getFileName().toString(),
              checkpoint.config(),
              new PromptReader(
                  tokenizer, Tokenizer.chatTemplate(directory), Tokenizer.marks(directory)),
              Math.min(maxTokens, checkpoint.config().positions()),
              maxBytes);
      return job(ranks, compute.config().build()).run(world -> run(world, checkpoint, served));
    }
  }

  private void checkLimits() {
    if (maxSequences < 1 || maxRows < maxSequences || maxWaiting < 1) {
      throw new IllegalArgumentException(
          "--max-rows %d, --max-sequences %d, --max-waiting %d: give at least one row for each sequence, and room for one request to wait"
              .formatted(maxRows, maxSequences, maxWaiting));
    }
    if (maxTokens < 2 || maxBytes < 1 || maxBytes == Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "--max-tokens %d, --max-bytes %d: a sequence has at least 2 tokens, a request 1 to %d bytes"
              .formatted(maxTokens, maxBytes, Integer.MAX_VALUE - 1));
    }
  }

  /** What each rank does. */
  private void run(World world, Checkpoint checkpoint, ServedModel served) {
    Weights weights = shares.weights(world, checkpoint, model.type());
    Group group = world.group();
    Decoder decoder = new Decoder(group, weights, world.tuning(), 1, maxRows, maxSequences);
    RankLoop loop = new RankLoop(group, decoder, served.config().ends(), maxRows);
    long room = loop.room(Runtime.getRuntime().maxMemory() / 2 / ranks.inThisProcess());
    if (world.rank() == 0) {
      ServedModel limited = served.within(room);
      sayRoom(room, limited.maxTokens());
      service(served.name()).lead(loop, limited, new Scheduler(maxSequences, maxWaiting, room));
    } else {
      loop.follow();
    }
    // Not if a rank fails: others are in a pass then, and the world tells them first.
    decoder.close();
  }

  private void sayRoom(long room, int longest) {
    if (room < (long) maxSequences * (longest + Decoder.MORE_TOKENS)) {
      output()
          .say(
              "half of the Java heap has room for %,d tokens of all sequences together, and for %,d of one: requests wait for room; to give Java more memory, set for example JDK_JAVA_OPTIONS=-Xmx8g%n"
                  .formatted(room, longest));
    }
  }

  private Service service(String name) {
    List<String> names = new ArrayList<>(allowedHosts);
    names.add(address);
    return new Service(
        new InetSocketAddress(address, port),
        names,
        maxBodies(),
        at -> output().say("%s answers on http://%s:%d%n".formatted(name, address, at.getPort())));
  }

  /** As many bodies as may wait afterwards, if they fit a quarter of the Java heap. */
  private int maxBodies() {
    long fit = Runtime.getRuntime().maxMemory() / 4 / COPIES / maxBytes;
    return Math.clamp(fit, 1, maxWaiting);
  }
}
