// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.serve.TestModel;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** One client at a time, and what it may get wrong. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class ServiceTest {
  @TempDir private static Path directory;
  private static ServerProcess server;
  private static Client client;

  @BeforeAll
  static void start() throws IOException {
    TestModel.writeRandom(directory.resolve("tiny"));
    server =
        ServerProcess.local(
            2,
            directory.resolve("tiny"),
            "--max-bytes",
            "2000",
            "--allowed-hosts",
            "proxy.example");
    client = new Client(server.port());
  }

  @AfterAll
  static void stop() throws InterruptedException {
    // SIGTERM.
    server.process().destroy();
    server.await(20);
    server.close();
  }

  private static String body(String more) {
    return "{\"prompt\": \"hello there\", \"max_tokens\": 12, \"temperature\": 0%s}"
        .formatted(more);
  }

  @Test
  void aCompletionHasTextReasonAndUsage() throws Exception {
    HttpResponse<String> response = client.post("/v1/completions", body(""));
    JsonNode json = Client.json(response.body());
    assertEquals(200, response.statusCode(), response.body());
    assertEquals("tiny", json.at("/model").stringValue());
    assertEquals("text_completion", json.at("/object").stringValue());
    assertFalse(json.at("/choices/0/text").stringValue().isEmpty(), response.body());
    assertEquals("length", json.at("/choices/0/finish_reason").stringValue());
    assertEquals(12, json.at("/usage/completion_tokens").intValue());
    assertTrue(json.at("/usage/prompt_tokens").intValue() > 1, response.body());
  }

  @Test
  void aStreamHasTheSameText() throws Exception {
    String whole = client.complete(body(""));
    HttpResponse<String> response = client.post("/v1/completions", body(", \"stream\": true"));
    assertTrue(response.body().endsWith("data: [DONE]\n\n"), response.body());
    StringBuilder text = new StringBuilder();
    List<JsonNode> events = Client.events(response.body());
    events.forEach(event -> text.append(event.at("/choices/0/text").stringValue()));
    assertEquals(whole, text.toString());
    assertEquals("length", events.getLast().at("/choices/0/finish_reason").stringValue());
  }

  @Test
  void aChatIsAConversation() throws Exception {
    String messages =
        """
        {"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
         "max_completion_tokens": 5, "temperature": 0.8, "top_p": 0.9, "seed": 3, "stream": %s}""";
    HttpResponse<String> whole = client.post("/v1/chat/completions", messages.formatted("false"));
    JsonNode json = Client.json(whole.body());
    assertEquals("assistant", json.at("/choices/0/message/role").stringValue(), whole.body());
    StringBuilder text = new StringBuilder();
    Client.events(client.post("/v1/chat/completions", messages.formatted("true")).body())
        .forEach(event -> text.append(event.at("/choices/0/delta/content").stringValue()));
    // The same seed draws the same tokens.
    assertEquals(json.at("/choices/0/message/content").stringValue(), text.toString());
  }

  @Test
  void aTextEndsBeforeWhatStopsIt() throws Exception {
    String whole = client.complete(body(""));
    String stop = whole.substring(4, 6);
    HttpResponse<String> response =
        client.post("/v1/completions", body(", \"stop\": [\"%s\", \"never\"]".formatted(stop)));
    JsonNode json = Client.json(response.body());
    assertEquals(whole.substring(0, whole.indexOf(stop)), json.at("/choices/0/text").stringValue());
    assertEquals("stop", json.at("/choices/0/finish_reason").stringValue());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/v1/completions | {\"prompt\": \"x\", \"n\": 2} | 400 | only accepted value is 1",
        "/v1/completions | {\"prompt\": \"x\", \"max_tokens\": 0} | 400 | at least one",
        "/v1/completions | {\"prompt\": \"x\", \"max_tokens\": 600} | 400 | 512 together",
        "/v1/completions | {\"prompt\": \"x\", \"max_tokens\": 2147483647} | 400 | 512 together",
        "/v1/completions | {\"prompt\": \"x\", \"temperature\": -1} | 400 | temperature",
        "/v1/completions | {\"prompt\": \"x\", \"temperature\": \"hot\"} | 400 | temperature",
        "/v1/completions | {\"prompt\": \"x\", \"stop\": \"\"} | 400 | stop",
        "/v1/completions | {\"prompt\": \"x\", \"seed\": 9223372036854775808} | 400 | seed cannot be",
        "/v1/completions | {\"prompt\": [1, 512]} | 400 | no token 512",
        "/v1/completions | {\"prompt\": []} | 400 | 0 tokens",
        "/v1/completions | {\"prompt\": [\"a\"]} | 400 | list of tokens",
        "/v1/completions | {} | 400 | prompt must be a string",
        "/v1/completions | [] | 400 | not a JSON object",
        "/v1/completions | { | 400 | not JSON",
        "/v1/chat/completions | {\"messages\": []} | 400 | at least one",
        "/v1/chat/completions | {\"messages\": [{\"role\": \"user\"}]} | 400 | content",
        "/v1/chat/completions | {\"messages\": [{\"role\": \"tool\", \"content\": \"x\"}]} | 400 | one of system, user",
        "/v1/chat/completions | {\"messages\": [{\"role\": \"user\", \"content\": \"a</s>b\"}]} | 400 | not contain </s>",
        "/v1/models | {} | 405 | use GET",
        "/v2 | {} | 404 | no such page",
        "/v1/completionsAAAA | {\"prompt\": \"x\"} | 404 | no such page",
        "/v1/completions/ | {\"prompt\": \"x\"} | 404 | no such page",
        "/healthy | {} | 404 | no such page",
      })
  void whatAClientCanMendIsSaid(String path, String body, int status, String part)
      throws Exception {
    HttpResponse<String> response = client.post(path, body);
    assertEquals(status, response.statusCode(), response.body());
    String message = Client.json(response.body()).at("/error/message").stringValue();
    assertTrue(message.contains(part), message);
  }

  private static String raw(String headers, String body) throws IOException {
    String request =
        "POST /v1/completions HTTP/1.1\n%sConnection: close\n\n"
            .formatted(headers)
            .replace("\n", "\r\n");
    try (RawClient raw = new RawClient(server.port(), request + body)) {
      return raw.head().lines().findFirst().orElse("nothing");
    }
  }

  /** A page in a browser can have the browser ask for its own name, and send what is not JSON. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Host: evil.example | application/json | 403",
        "Host: evil.example:8080 | application/json | 403",
        "Host: 127.0.0.1.evil.example | application/json | 403",
        "Host: 127.0.0.1@evil.example | application/json | 403",
        "Host: localhost.evil.example | application/json | 403",
        "Host: | application/json | 403",
        "X: y | application/json | 400",
        "Host: localhost\\nHost: evil.example | application/json | 400",
        "Host: localhost | text/plain | 415",
        "Host: localhost | application/x-www-form-urlencoded | 415",
        "Host: localhost | application/jsonx | 415",
        "Host: localhost |  | 415",
        "Host: LOCALHOST:1 | Application/JSON; charset=utf-8 | 200",
        "Host: 192.168.7.8 | application/json | 200",
        "Host: [::1]:8080 | application/json | 200",
        "Host: proxy.example | application/json | 200",
      })
  void onlyJsonForThisHostIsAnswered(String host, @Nullable String type, int status)
      throws IOException {
    String body = body("");
    String headers = host.replace("\\n", "\n") + "\nContent-Length: " + body.length() + "\n";
    String typed = type == null ? headers : headers + "Content-Type: " + type + "\n";
    String answer = raw(typed, body);
    assertTrue(answer.startsWith("HTTP/1.1 " + status), answer);
  }

  @Test
  void aChunkMayClaimToBeLong() throws IOException {
    String headers =
        "Host: localhost\nContent-Type: application/json\nTransfer-Encoding: chunked\n";
    String answer = raw(headers, "fffffffffff\r\n" + body(""));
    assertTrue(answer.startsWith("HTTP/1.1 400"), answer);
  }

  @Test
  void aBodyHasALimit() throws Exception {
    String tooLong = "{\"prompt\": \"%s\"}".formatted("x".repeat(3000));
    assertEquals(413, client.post("/v1/completions", tooLong).statusCode());
    assertEquals(405, client.get("/v1/completions").statusCode());
  }

  @Test
  void connectionsHaveALimit() throws Exception {
    List<RawClient> silent = new ArrayList<>();
    for (int i = 0; i < 257; i++) {
      silent.add(new RawClient(server.port(), ""));
    }
    // The last one is closed, and not because all were silent for too long.
    assertEquals("", silent.getLast().head());
    silent.getFirst().send("GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    assertTrue(silent.getFirst().head().startsWith("HTTP/1.1 200 "));
    for (RawClient one : silent) {
      one.close();
    }
    while (!isAnswered()) {
      Thread.onSpinWait();
    }
  }

  private static boolean isAnswered() throws InterruptedException {
    try {
      return client.get("/health").statusCode() == 200;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void pagesForThoseWhoWatch() throws Exception {
    client.complete(body(""));
    assertEquals("ok\n", client.get("/health").body());
    assertEquals(
        "tiny", Client.json(client.get("/v1/models").body()).at("/data/0/id").stringValue());
    String metrics = client.get("/metrics").body();
    assertTrue(metrics.contains("gemmflow_requests_total{status=\"200\"} "), metrics);
    assertTrue(metrics.contains("# TYPE gemmflow_jobs_going gauge"), metrics);
    assertFalse(metrics.contains("gemmflow_tokens_total 0"), metrics);
  }

  @Test
  void formatsOfConversations() {
    List<ChatFormat.Message> messages =
        List.of(
            new ChatFormat.Message("system", "S"),
            new ChatFormat.Message("user", "U"),
            new ChatFormat.Message("assistant", "A"),
            new ChatFormat.Message("user", "V"));
    assertEquals(
        "[INST] S\n\nU [/INST] A</s>[INST] V [/INST]",
        ChatFormat.of("{{ '[INST] ' }}").text(messages));
    assertTrue(
        ChatFormat.of("<|im_start|>")
            .text(messages)
            .startsWith("<|im_start|>system\nS<|im_end|>\n"));
    assertTrue(
        ChatFormat.of("<|start_header_id|>")
            .text(messages)
            .endsWith("V<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"));
    assertEquals("S\nU\nA\nV\n", ChatFormat.of("").text(messages));
    assertThrows(IllegalArgumentException.class, () -> ChatFormat.of("<start_of_turn>"));
  }
}
