// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.models.batch.Scheduler;
import io.github.gemmflow.models.checkpoint.Checkpoint;
import io.github.gemmflow.serve.TestModel;
import io.github.gemmflow.text.Tokenizer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.AbstractList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** However a server ends: who waits for an answer is told, and all ranks are done soon. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class ServiceEndTest {
  private static final String ENDLESS =
      "{\"prompt\": \"hello\", \"max_tokens\": 900000, \"temperature\": 0, \"stream\": %s}";

  @TempDir private static Path model;

  @BeforeAll
  static void makeAModel() throws IOException {
    TestModel.writeEndless(model);
  }

  private static Scheduler scheduler() {
    return new Scheduler(16, 64, Long.MAX_VALUE);
  }

  /** Tokens that end a text; the first pass that asks for them fails. */
  private static List<Integer> failing(String kind) {
    return new AbstractList<>() {
      @Override
      public Integer get(int index) {
        return index;
      }

      @Override
      public int size() {
        if (kind.equals("error")) {
          throw new AssertionError("injected");
        }
        throw new IllegalStateException("injected");
      }
    };
  }

  @ParameterizedTest
  @CsvSource({"0, error", "1, error", "0, exception", "1, exception"})
  void whoWaitsForAFailedRankIsTold(int failed, String kind) throws Exception {
    try (LocalServer server =
        new LocalServer(
            2, model, scheduler(), 64, rank -> rank == failed ? failing(kind) : List.of())) {
      HttpResponse<String> response =
          new Client(server.port()).post("/v1/completions", ENDLESS.formatted("false"));
      assertEquals(500, response.statusCode(), response.body());
      assertTrue(response.body().contains("the model stopped: "), response.body());
      ExecutionException e = assertThrows(ExecutionException.class, server::await);
      assertTrue(e.toString().endsWith(": injected"), e::toString);
      assertFalse(server.scheduler().isOpen());
    }
  }

  @Test
  void whoWaitsWhenTheServerIsToldToEndIsTold() throws Exception {
    try (ServerProcess server =
        ServerProcess.local(2, model, "--max-tokens", "1000000", "--max-sequences", "1")) {
      Client client = new Client(server.port());
      // One text grows, and one waits.
      BufferedReader stream =
          new BufferedReader(
              new InputStreamReader(
                  client.stream("/v1/completions", ENDLESS.formatted("true")),
                  StandardCharsets.UTF_8));
      assertTrue(stream.readLine().startsWith("data: "));
      CompletableFuture<HttpResponse<String>> whole =
          client.postAsync("/v1/completions", ENDLESS.formatted("false"));
      while (!client.get("/metrics").body().contains("gemmflow_jobs_waiting 1\n")) {
        Thread.onSpinWait();
      }
      // SIGTERM.
      server.process().destroy();
      HttpResponse<String> response = whole.get(1, TimeUnit.MINUTES);
      assertEquals(503, response.statusCode(), response.body());
      assertTrue(response.body().contains("the server is shutting down"), response.body());
      List<JsonNode> events = Client.events(String.join("\n", stream.lines().toList()));
      assertTrue(
          events.getLast().at("/error/message").asString("").contains("server is shutting down"),
          events.getLast()::toString);
      assertEquals(128 + 15, server.await(30));
    }
  }

  /** Not even for a handler whose answer nobody computes. */
  @Test
  void aServerThatClosesWaitsForNobody() throws Exception {
    try (Checkpoint checkpoint = Checkpoint.open(model);
        Tokenizer tokenizer = Tokenizer.of(model).orElseThrow()) {
      ServedModel served = LocalServer.served(model, checkpoint, tokenizer);
      Scheduler scheduler = scheduler();
      InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      Server server = new Server(any, List.of(), served, new RequestReader(served, 1), scheduler);
      CompletableFuture<HttpResponse<String>> answer =
          new Client(server.address().getPort())
              .postAsync("/v1/completions", ENDLESS.formatted("false"));
      while (scheduler.waiting() == 0) {
        Thread.onSpinWait();
      }
      assertTimeoutPreemptively(Duration.ofMinutes(1), server::close);
      assertThrows(ExecutionException.class, () -> answer.get(1, TimeUnit.MINUTES));
    }
  }

  /** What a Java heap has room for is reckoned before anything is promised. */
  @Test
  void aServerThatHasLittleMemoryRefusesLongTexts() throws Exception {
    try (ServerProcess server =
        ServerProcess.local(List.of("-Xmx64m"), 2, model, "--max-tokens", "1000000")) {
      assertTrue(server.text().contains("half of the Java heap has room for "), server.text());
      HttpResponse<String> response =
          new Client(server.port()).post("/v1/completions", ENDLESS.formatted("false"));
      assertEquals(400, response.statusCode(), response.body());
      assertTrue(response.body().contains(" together"), response.body());
    }
  }
}
