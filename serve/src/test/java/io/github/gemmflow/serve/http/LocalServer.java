// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.service;

import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.World;
import io.github.gemmflow.examples.command.Program;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.models.checkpoint.Checkpoint;
import io.github.gemmflow.models.decoder.Decoder;
import io.github.gemmflow.models.decoder.Weights;
import io.github.gemmflow.models.parallel.Shares;
import io.github.gemmflow.text.Tokenizer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import picocli.CommandLine;

/** A server whose ranks are threads of this JVM, and which a test may end in several ways. */
final class LocalServer implements AutoCloseable {
  private static final int MAX_ROWS = 64;

  private final Serve serve = new Serve();
  private final Desk desk;
  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final CompletableFuture<Void> end;
  private final int port;

  /**
   * Starts one, and returns when it answers.
   *
   * @param ends the tokens that end a text, as each rank knows them
   * @param options of the command
   */
  LocalServer(int ranks, Path model, Desk desk, IntFunction<List<Integer>> ends, String... options)
      throws IOException {
    this.desk = desk;
    PipedReader out = new PipedReader();
    CommandLine line = Program.of(serve);
    line.setOut(new PrintWriter(new PipedWriter(out)));
    List<String> arguments = new ArrayList<>(List.of("--model", model.toString(), "--port", "0"));
    arguments.addAll(List.of(options));
    line.parseArgs(arguments.toArray(new String[0]));
    this.end =
        CompletableFuture.runAsync(
            () -> LocalWorld.of(ranks).run(world -> run(world, model, ends)), thread);
    String answers = new BufferedReader(out).readLine();
    this.port = Integer.parseInt(answers.substring(answers.lastIndexOf(':') + 1));
  }

  private void run(World world, Path model, IntFunction<List<Integer>> ends) throws IOException {
    try (Checkpoint checkpoint = Checkpoint.open(model);
        Tokenizer tokenizer = Tokenizer.of(model).orElseThrow()) {
      Weights weights = Weights.of(world, checkpoint, Shares.even(world.size()), DType.F32);
      ServedModel served = served(model, checkpoint, tokenizer);
      Decoder decoder =
          new Decoder(world.group(), weights, world.config().tuning(), 1, MAX_ROWS, 16);
      RankLoop loop = new RankLoop(world.group(), decoder, ends.apply(world.rank()), MAX_ROWS);
      if (world.rank() == 0) {
        serve.lead(loop, served, desk);
      } else {
        loop.follow();
      }
      decoder.close();
    }
  }

  /** What clients see of a model. */
  static ServedModel served(Path model, Checkpoint checkpoint, Tokenizer tokenizer)
      throws IOException {
    return new ServedModel(
        "tiny",
        checkpoint.config(),
        new PromptReader(tokenizer, Tokenizer.chatTemplate(model), Tokenizer.marks(model)),
        checkpoint.config().positions(),
        1 << 20);
  }

  int port() {
    return port;
  }

  Desk desk() {
    return desk;
  }

  /** Waits until all ranks are done; throws what ended them. */
  void await() throws ExecutionException, InterruptedException, TimeoutException {
    end.get(1, TimeUnit.MINUTES);
  }

  @Override
  public void close() {
    desk.end(new Job.Event.Failure(503, "the test is over"));
    thread.shutdown();
  }
}
