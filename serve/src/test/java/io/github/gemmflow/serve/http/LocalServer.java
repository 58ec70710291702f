// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve.http;

import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.World;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.models.batch.Generation;
import io.github.gemmflow.models.batch.RankLoop;
import io.github.gemmflow.models.batch.Scheduler;
import io.github.gemmflow.models.checkpoint.Checkpoint;
import io.github.gemmflow.models.decoder.Decoder;
import io.github.gemmflow.models.decoder.Weights;
import io.github.gemmflow.models.parallel.Shares;
import io.github.gemmflow.text.Tokenizer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;

/** A server whose ranks are threads of this JVM, and which a test may end in several ways. */
final class LocalServer implements AutoCloseable {
  private static final int MAX_ROWS = 64;

  private final Scheduler scheduler;
  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final CompletableFuture<Void> end;
  private final CompletableFuture<Integer> port = new CompletableFuture<>();
  private final Service service;

  /**
   * Starts one.
   *
   * @param bodies the most requests that are read at a time
   * @param ends the tokens that end a text, as each rank knows them
   */
  LocalServer(
      int ranks, Path model, Scheduler scheduler, int bodies, IntFunction<List<Integer>> ends) {
    this.scheduler = scheduler;
    this.service =
        new Service(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            List.of(),
            bodies,
            at -> port.complete(at.getPort()));
    this.end =
        CompletableFuture.runAsync(
            () -> LocalWorld.of(ranks).run(world -> run(world, model, ends)), thread);
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
        service.lead(loop, served, scheduler);
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

  /** Waits until it answers. */
  int port() {
    return port.join();
  }

  Scheduler scheduler() {
    return scheduler;
  }

  /** Waits until all ranks are done; throws what ended them. */
  void await() throws ExecutionException, InterruptedException, TimeoutException {
    end.get(1, TimeUnit.MINUTES);
  }

  @Override
  public void close() {
    scheduler.end(new Generation.Event.Failure(true, "the test is over"));
    thread.shutdown();
  }
}
