// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve.http;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Someone who asks a server. */
final class Client {
  /** For headers of an answer; far more than any takes. */
  static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final JsonMapper MAPPER = new JsonMapper();

  private final HttpClient http = HttpClient.newHttpClient();
  private final int port;

  Client(int port) {
    this.port = port;
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(port, path)))
        .header("Content-Type", "application/json")
        .timeout(PATIENCE);
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return http.send(request(path).build(), HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
    HttpRequest post = request(path).POST(HttpRequest.BodyPublishers.ofString(body)).build();
    return http.send(post, HttpResponse.BodyHandlers.ofString());
  }

  /** The same, without waiting for the answer. */
  CompletableFuture<HttpResponse<String>> postAsync(String path, String body) {
    HttpRequest post = request(path).POST(HttpRequest.BodyPublishers.ofString(body)).build();
    return http.sendAsync(post, HttpResponse.BodyHandlers.ofString());
  }

  /** What comes of an answer, as it comes. */
  InputStream stream(String path, String body) throws IOException, InterruptedException {
    HttpRequest post = request(path).POST(HttpRequest.BodyPublishers.ofString(body)).build();
    return http.send(post, HttpResponse.BodyHandlers.ofInputStream()).body();
  }

  /** The text of a completion. */
  String complete(String body) throws IOException, InterruptedException {
    HttpResponse<String> response = post("/v1/completions", body);
    if (response.statusCode() != 200) {
      throw new IllegalStateException(response.statusCode() + ": " + response.body());
    }
    return json(response.body()).at("/choices/0/text").stringValue();
  }

  /** Asks for a stream, and hangs up after so many events. */
  void hangUp(String body, int events) throws IOException, InterruptedException {
    try (InputStream in = stream("/v1/completions", body)) {
      int seen = 0;
      for (int next = in.read(); next >= 0 && seen < events; next = in.read()) {
        seen += next == '\n' ? 1 : 0;
      }
    }
  }

  /** The events of a stream, up to the last. */
  static List<JsonNode> events(String body) {
    List<JsonNode> events = new ArrayList<>();
    for (String line : body.split("\n\n", -1)) {
      if (line.startsWith("data: {")) {
        events.add(json(line.substring("data: ".length())));
      }
    }
    return events;
  }

  static JsonNode json(String text) {
    return MAPPER.readTree(text);
  }
}
