// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.report;

import io.github.gemmflow.cli.bench.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A page in a browser, driven through the Chrome DevTools Protocol. */
final class DevTools implements AutoCloseable {
  /**
   * Something that happened on the page.
   *
   * @param method such as {@code Page.loadEventFired}
   */
  record Event(String method, Map<String, Object> params) {}

  private final HttpClient http = HttpClient.newHttpClient();
  private final Map<Integer, CompletableFuture<Map<String, Object>>> replies =
      new ConcurrentHashMap<>();
  private final List<Event> events = new ArrayList<>();
  private final AtomicInteger lastId = new AtomicInteger();
  private final CompletableFuture<Void> loaded = new CompletableFuture<>();
  private final Duration patience;
  private final WebSocket socket;
  private String session = "";

  private DevTools(URI address, Duration patience) throws IOException {
    this.patience = patience;
    this.socket =
        Deadline.await(
            http.newWebSocketBuilder().buildAsync(address, new Listener()),
            patience,
            "the browser let nobody connect");
  }

  /** Connects to a browser and opens an empty page in it. */
  static DevTools connect(URI address, Duration patience) throws IOException {
    DevTools tools = new DevTools(address, patience);
    Object target = tools.call("Target.createTarget", Map.of("url", "about:blank")).get("targetId");
    Map<String, Object> how = Map.of("targetId", String.valueOf(target), "flatten", true);
    tools.session = String.valueOf(tools.call("Target.attachToTarget", how).get("sessionId"));
    tools.call("Page.enable", Map.of());
    return tools;
  }

  /** Has something done, and waits until it is. */
  Map<String, Object> call(String method, Map<String, Object> params) throws IOException {
    int id = lastId.incrementAndGet();
    CompletableFuture<Map<String, Object>> reply = new CompletableFuture<>();
    replies.put(id, reply);
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("id", id);
    message.put("method", method);
    message.put("params", params);
    if (!session.isEmpty()) {
      message.put("sessionId", session);
    }
    Deadline.await(
        socket.sendText(Json.write(message), true), patience, "the browser did not listen");
    return Deadline.await(reply, patience, "the browser did not do " + method);
  }

  /** Opens a page and returns when all of it is there. Once. */
  void open(URI page) throws IOException {
    call("Page.navigate", Map.of("url", page.toString()));
    Deadline.await(loaded, patience, "the browser did not open " + page);
  }

  /** The value of an expression on the page, or what its promise comes to. */
  @Nullable Object evaluate(String expression) throws IOException {
    Map<String, Object> params =
        Map.of("expression", expression, "returnByValue", true, "awaitPromise", true);
    Map<String, Object> reply = call("Runtime.evaluate", params);
    if (reply.containsKey("exceptionDetails")) {
      throw new IOException("%s: %s".formatted(expression, reply.get("exceptionDetails")));
    }
    return JsonTree.object(reply.get("result")).get("value");
  }

  /** What has happened so far. */
  List<Event> events() {
    synchronized (events) {
      return List.copyOf(events);
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
  }

  private void received(String text) {
    Map<String, Object> message = JsonTree.object(JsonTree.read(text));
    if (message.get("id") instanceof Number id) {
      CompletableFuture<Map<String, Object>> reply = replies.remove(id.intValue());
      if (reply != null && message.containsKey("error")) {
        reply.completeExceptionally(new IOException(String.valueOf(message.get("error"))));
      } else if (reply != null) {
        reply.complete(JsonTree.object(message.get("result")));
      }
      return;
    }
    String method = String.valueOf(message.get("method"));
    synchronized (events) {
      events.add(new Event(method, JsonTree.object(message.get("params"))));
    }
    if (method.equals("Page.loadEventFired")) {
      loaded.complete(null);
    }
  }

  private final class Listener implements WebSocket.Listener {
    private final StringBuilder text = new StringBuilder();

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
      text.append(part);
      if (last) {
        received(text.toString());
        text.setLength(0);
      }
      from.request(1);
      return null;
    }
  }
}
