// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.gemmflow.json.Json;
import io.github.gemmflow.json.JsonTree;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A page in a browser, driven through the Chrome DevTools Protocol over two pipes. Each message is
 * JSON and ends with a NUL.
 */
final class DevTools {
  /**
   * Something that happened on the page.
   *
   * @param method such as {@code Page.loadEventFired}
   */
  record Event(String method, Map<String, Object> params) {}

  private final Map<Integer, CompletableFuture<Map<String, Object>>> replies =
      new ConcurrentHashMap<>();
  private final List<Event> events = new ArrayList<>();
  private final AtomicInteger lastId = new AtomicInteger();
  private final OutputStream commands;
  private final CompletableFuture<String> lastLine;

  /** Fails when the browser ends. */
  private final CompletableFuture<Void> end = new CompletableFuture<>();

  private final Duration patience;
  private volatile CompletableFuture<Void> loaded = new CompletableFuture<>();
  private volatile String session = "";
  private String target = "";

  /**
   * Makes a client of a browser that may not be ready yet.
   *
   * @param lastLine last line that the browser printed, complete soon after its end
   * @param patience limit of each wait
   */
  DevTools(
      OutputStream commands,
      InputStream replies,
      CompletableFuture<String> lastLine,
      Duration patience) {
    this.commands = commands;
    this.lastLine = lastLine;
    this.patience = patience;
    Thread.ofPlatform().daemon().name("gemmflow-browser-replies").start(() -> receive(replies));
  }

  /**
   * Waits until the browser is ready, and opens an empty page in it. One that was open is closed,
   * and what happened on it forgotten.
   *
   * @param otherwise the beginning of the message if the browser does not get ready
   */
  void openEmptyPage(String otherwise) throws IOException {
    if (!session.isEmpty()) {
      session = "";
      call("Target.closeTarget", Map.of("targetId", target));
      synchronized (events) {
        events.clear();
      }
      loaded = new CompletableFuture<>();
    }
    Map<String, Object> empty = Map.of("url", "about:blank");
    target = String.valueOf(call("Target.createTarget", empty, otherwise).get("targetId"));
    Map<String, Object> how = Map.of("targetId", target, "flatten", true);
    session = String.valueOf(call("Target.attachToTarget", how).get("sessionId"));
    call("Page.enable", Map.of());
  }

  /** Has something done, and waits until it is. */
  Map<String, Object> call(String method, Map<String, Object> params) throws IOException {
    return call(method, params, "the browser did not do " + method);
  }

  private Map<String, Object> call(String method, Map<String, Object> params, String otherwise)
      throws IOException {
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
    send(Json.write(message));
    return JsonTree.object(
        Deadline.await(CompletableFuture.anyOf(reply, end), patience, otherwise));
  }

  /**
   * Sends a message. This does not wait for the browser: a pipe holds far more than the one message
   * that is under way.
   */
  private void send(String message) {
    try {
      commands.write((message + '\0').getBytes(UTF_8));
      commands.flush();
    } catch (IOException e) {
      // The browser has ended, which its replies tell.
    }
  }

  /** Opens another page in place of the empty one, and returns when all of it is there. */
  void open(URI page) throws IOException {
    call("Page.navigate", Map.of("url", page.toString()));
    Deadline.await(
        CompletableFuture.anyOf(loaded, end), patience, "the browser did not open " + page);
  }

  /** The value of an expression on the page, or what its promise comes to. */
  @Nullable Object evaluate(String expression) throws IOException {
    Map<String, Object> params =
        Map.of("expression", expression, "returnByValue", true, "awaitPromise", true);
    Map<String, Object> reply = call("Runtime.evaluate", params);
    if (reply.containsKey("exceptionDetails")) {
      throw new IOException("%s: %s".formatted(expression, reply.get("exceptionDetails")));
    }
    Object value = JsonTree.object(reply.get("result")).get("value");
    // All numbers of a page are doubles.
    return value instanceof Number number ? (Object) number.doubleValue() : value;
  }

  /** What has happened so far. */
  List<Event> events() {
    synchronized (events) {
      return List.copyOf(events);
    }
  }

  private void receive(InputStream in) {
    try {
      ByteArrayOutputStream message = new ByteArrayOutputStream();
      for (int next = in.read(); next >= 0; next = in.read()) {
        if (next == 0) {
          received(message.toString(UTF_8));
          message.reset();
        } else {
          message.write(next);
        }
      }
      String last = lastLine.completeOnTimeout("", 5, TimeUnit.SECONDS).join();
      throw new IOException("it ended" + (last.isEmpty() ? "" : ", and said " + last));
    } catch (IOException | RuntimeException e) {
      end.completeExceptionally(e);
    }
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
    if (!session.equals(message.get("sessionId"))) {
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
}
