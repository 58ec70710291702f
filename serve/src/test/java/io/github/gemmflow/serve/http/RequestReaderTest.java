// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.models.batch.Scheduler;
import io.github.gemmflow.models.checkpoint.Checkpoint;
import io.github.gemmflow.serve.TestModel;
import io.github.gemmflow.text.Tokenizer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients that send much, or stop sending. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class RequestReaderTest {
  private static final int BODIES = 3;

  @TempDir private static Path model;
  private static LocalServer server;

  @BeforeAll
  static void start() throws IOException {
    TestModel.writeRandom(model);
    Scheduler scheduler = new Scheduler(16, 64, Long.MAX_VALUE);
    server = new LocalServer(1, model, scheduler, BODIES, rank -> List.of());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static String head(long length) {
    return """
    POST /v1/completions HTTP/1.1
    Host: 127.0.0.1
    Content-Type: application/json
    Content-Length: %d

    """
        .formatted(length)
        .replace("\n", "\r\n");
  }

  /** Asks for nothing, until the answer has this status. */
  private static String awaitStatus(int status) throws IOException, InterruptedException {
    Client client = new Client(server.port());
    HttpResponse<String> response = client.post("/v1/completions", "{}");
    while (response.statusCode() != status) {
      response = client.post("/v1/completions", "{}");
    }
    return response.body();
  }

  @Test
  void asManyBodiesAreReadAsFit() throws Exception {
    List<RawClient> stalled = new ArrayList<>();
    for (int i = 0; i < BODIES; i++) {
      stalled.add(new RawClient(server.port(), head(100) + "{\"prompt\": "));
    }
    // Now there is no permit: others are refused, before they have sent their body, too.
    String body = awaitStatus(503);
    assertTrue(body.contains("too many requests are being read"), body);
    try (RawClient silent = new RawClient(server.port(), head(1_000_000))) {
      String answer = silent.head();
      assertTrue(answer.startsWith("HTTP/1.1 503 "), answer);
      assertTrue(answer.contains("Retry-after: 1"), answer);
    }
    assertEquals(200, new Client(server.port()).get("/health").statusCode());
    stalled.removeLast().close();
    awaitStatus(400);
    for (RawClient client : stalled) {
      client.close();
    }
  }

  @Test
  void aBodyThatIsTooLongIsRefusedBeforeItComes() throws Exception {
    try (RawClient silent = new RawClient(server.port(), head((1 << 20) + 1))) {
      assertTrue(silent.head().startsWith("HTTP/1.1 413 "));
    }
  }

  @Test
  void oneLongBodyIsParsedAtATimeAndShortOnesBesideIt() throws Exception {
    try (Checkpoint checkpoint = Checkpoint.open(model);
        Tokenizer tokenizer = Tokenizer.of(model).orElseThrow()) {
      ServedModel served =
          new ServedModel(
              "m", checkpoint.config(), new PromptReader(tokenizer, "", List.of()), 100, 100);
      RequestReader reader = new RequestReader(served, BODIES);
      byte[] shortBody = "{}".getBytes(StandardCharsets.UTF_8);
      byte[] longBody = (" ".repeat(RequestReader.SHORT) + "{}").getBytes(StandardCharsets.UTF_8);
      AtomicBoolean isIn = new AtomicBoolean();
      FutureTask<CompletionRequest> second =
          new FutureTask<>(
              () ->
                  reader.parse(
                      longBody,
                      json -> {
                        isIn.set(true);
                        return List.of(2);
                      }));
      Thread thread = new Thread(second);
      List<Integer> beside = new ArrayList<>();
      CompletionRequest first =
          reader.parse(
              longBody,
              json -> {
                thread.start();
                while (thread.getState() != Thread.State.WAITING && thread.isAlive()) {
                  Thread.onSpinWait();
                }
                assertFalse(isIn.get());
                beside.addAll(parse(reader, shortBody).prompt());
                return List.of(1);
              });
      assertEquals(List.of(3), beside);
      assertEquals(List.of(1), first.prompt());
      assertEquals(List.of(2), second.get().prompt());
    }
  }

  private static CompletionRequest parse(RequestReader reader, byte[] body) throws ApiException {
    try {
      return reader.parse(body, json -> List.of(3));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
