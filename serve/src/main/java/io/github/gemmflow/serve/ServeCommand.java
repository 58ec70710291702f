// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.service;

import io.github.gemmflow.Config;
import io.github.gemmflow.Group;
import io.github.gemmflow.World;
import io.github.gemmflow.examples.command.ModelOptions;
import io.github.gemmflow.examples.command.Program;
import io.github.gemmflow.examples.command.Ranks;
import io.github.gemmflow.examples.command.ShareOption;
import io.github.gemmflow.models.checkpoint.Checkpoint;
import io.github.gemmflow.models.decoder.Decoder;
import io.github.gemmflow.models.decoder.Weights;
import io.github.gemmflow.text.Tokenizer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Command that answers requests over HTTP with a model on all ranks. */
@Command(
    name = "serve",
    description =
        "Answers requests as OpenAI's interface has them (/v1/completions, /v1/chat/completions, /v1/models) with a model"
            + " on all ranks of a job; rank 0 listens. /health says whether it does, /metrics what it did. SIGTERM ends it;"
            + " who waits for an answer is told.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class Serve implements Callable<Integer> {
  private static final int SECONDS_TO_END = 5;

  /** What a body takes of memory while it is read: pieces, and then one array. */
  private static final int COPIES = 2;

  /**
   * Limits of the JDK's server, so that nobody can hold connections for ever, or all memory:
   * seconds to send a request, connections, and bytes of headers.
   */
  private static final Map<String, String> LIMITS_OF_HTTP =
      Map.of(
          "sun.net.httpserver.maxReqTime", "30",
          "jdk.httpserver.maxConnections", "256",
          "sun.net.httpserver.maxReqHeaderSize", "32768");

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private ModelOptions model = new ModelOptions();

  @Option(
      names = "--address",
      description =
          "to listen on; only this host can reach the default (default: ${DEFAULT-VALUE})")
  private String address = "127.0.0.1";

  @Option(
      names = "--port",
      description = "to listen on; 0 for any that is free (default: ${DEFAULT-VALUE})")
  private int port = 8080;

  @Option(
      names = "--allowed-hosts",
      split = ",",
      paramLabel = "NAME",
      description =
          "names that clients ask it by, beside --address, localhost and numbers; other names are refused (403)")
  private List<String> allowedHosts = List.of();

  @Option(
      names = "--max-sequences",
      description = "texts that grow at a time (default: ${DEFAULT-VALUE})")
  private int maxSequences = 16;

  @Option(
      names = "--max-rows",
      description = "rows of a pass, of all texts together (default: ${DEFAULT-VALUE})")
  private int maxRows = 256;

  @Option(
      names = "--max-waiting",
      description = "requests that wait; more are refused (503) (default: ${DEFAULT-VALUE})")
  private int maxWaiting = 64;

  @Option(
      names = "--max-tokens",
      description = "of a text, prompt and answer (default: ${DEFAULT-VALUE})")
  private int maxTokens = 4096;

  @Option(names = "--max-bytes", description = "of a request (default: ${DEFAULT-VALUE})")
  private int maxBytes = 1 << 20;

  @Mixin private ShareOption shares = new ShareOption();

  @Mixin private Ranks ranks = new Ranks();

  public static void main(String[] arguments) {
    LIMITS_OF_HTTP.forEach(
        (name, value) -> System.setProperty(name, System.getProperty(name, value)));
    Program.run(new Serve(), arguments);
  }

  @Override
  public Integer call() throws IOException {
    if (maxSequences < 1 || maxRows < maxSequences || maxWaiting < 1) {
      throw new IllegalArgumentException(
          "a pass of %d rows has no place for %d texts, with %d that wait: give at least one row for each, and one place"
              .formatted(maxRows, maxSequences, maxWaiting));
    }
    if (maxTokens < 2 || maxBytes < 1 || maxBytes == Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "--max-tokens %d, --max-bytes %d: a text has at least 2 tokens, a request 1 to %d bytes"
              .formatted(maxTokens, maxBytes, Integer.MAX_VALUE - 1));
    }
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
      ranks.run(Config.load(), world -> run(world, checkpoint, served));
    }
    return 0;
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
      lead(loop, limited, new Desk(maxSequences, maxWaiting, room, new Metrics()));
    } else {
      loop.follow();
    }
    // Not if a rank fails: others are in a pass then, and the world tells them first.
    decoder.close();
  }

  private void sayRoom(long room, int longest) {
    if (room < (long) maxSequences * (longest + Decoder.MORE_TOKENS)) {
      spec.commandLine()
          .getOut()
          .printf(
              "half of the Java heap has room for %,d tokens of all texts together, and for %,d of one: requests wait for that; for more room give Java more, such as JDK_JAVA_OPTIONS=-Xmx8g%n",
              room, longest);
    }
  }

  /** What rank 0 does. However it ends, who waits for an answer is told before this returns. */
  void lead(RankLoop loop, ServedModel served, Desk desk) {
    CountDownLatch over = new CountDownLatch(1);
    Thread atExit = new Thread(() -> end(desk, over), "serve-end");
    List<String> names = new ArrayList<>(allowedHosts);
    names.add(address);
    RequestReader reader = new RequestReader(served, maxBodies());
    try (Server server =
        new Server(new InetSocketAddress(address, port), names, served, reader, desk)) {
      PrintWriter out = spec.commandLine().getOut();
      out.printf(
          "%s answers on http://%s:%d%n", served.name(), address, server.address().getPort());
      out.flush();
      Runtime.getRuntime().addShutdownHook(atExit);
      try {
        loop.lead(desk);
      } catch (RuntimeException | Error e) {
        desk.end(new Job.Event.Failure(500, "the model stopped: " + e));
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot listen on %s:%d: %s".formatted(address, port, e), e);
    } finally {
      over.countDown();
    }
  }

  /** As many bodies as may wait afterwards, if they fit a quarter of the Java heap. */
  private int maxBodies() {
    long fit = Runtime.getRuntime().maxMemory() / 4 / COPIES / maxBytes;
    return Math.clamp(fit, 1, maxWaiting);
  }

  /** For a process that is told to end: clients hear of it at once, and it ends soon. */
  private static void end(Desk desk, CountDownLatch over) {
    desk.end(new Job.Event.Failure(503, "the server ends: ask again when it is back"));
    try {
      over.await(SECONDS_TO_END, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
