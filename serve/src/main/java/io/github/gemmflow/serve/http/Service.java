// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve.http;

import io.github.gemmflow.models.batch.Generation;
import io.github.gemmflow.models.batch.RankLoop;
import io.github.gemmflow.models.batch.Scheduler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Rank 0 of a service: listens, has the ranks continue what clients send, and ends in order.
 *
 * @param address to listen on
 * @param names that clients may ask it by, beside localhost and numbers
 * @param maxBodies the most requests that are read at a time
 * @param ready told where it listens, when it does
 */
public record Service(
    InetSocketAddress address,
    List<String> names,
    int maxBodies,
    Consumer<InetSocketAddress> ready) {
  private static final int SECONDS_TO_END = 5;

  /**
   * Limits of the JDK's server, so that nobody can hold connections for ever, or all memory:
   * seconds to send a request, connections, and bytes of headers.
   */
  private static final Map<String, String> LIMITS_OF_HTTP =
      Map.of(
          "sun.net.httpserver.maxReqTime", "30",
          "jdk.httpserver.maxConnections", "256",
          "sun.net.httpserver.maxReqHeaderSize", "32768");

  /** Makes one. */
  public Service {
    names = List.copyOf(names);
  }

  /**
   * Limits what clients can take of this process. The JDK's server reads these settings once, so
   * this comes before all else; what is set already stays as it is.
   */
  public static void limitHttp() {
    LIMITS_OF_HTTP.forEach(
        (name, value) -> System.setProperty(name, System.getProperty(name, value)));
  }

  /**
   * Runs until the work ends, or this process is told to end. However it ends, who waits for an
   * answer is told before this returns. Collective: other ranks follow.
   */
  public void lead(RankLoop loop, ServedModel model, Scheduler scheduler) {
    CountDownLatch over = new CountDownLatch(1);
    Thread atExit = new Thread(() -> end(scheduler, over), "serve-end");
    RequestReader reader = new RequestReader(model, maxBodies);
    try (Server server = new Server(address, names, model, reader, scheduler)) {
      ready.accept(server.address());
      Runtime.getRuntime().addShutdownHook(atExit);
      try {
        loop.lead(scheduler);
      } catch (RuntimeException | Error e) {
        scheduler.end(new Generation.Event.Failure(false, "the model stopped: " + e));
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot listen on %s:%d: %s".formatted(address.getHostString(), address.getPort(), e), e);
    } finally {
      over.countDown();
    }
  }

  /** For a process that is told to end: clients hear of it at once, and it ends soon. */
  private static void end(Scheduler scheduler, CountDownLatch over) {
    scheduler.end(new Generation.Event.Failure(true, "the server is shutting down: retry later"));
    try {
      over.await(SECONDS_TO_END, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
