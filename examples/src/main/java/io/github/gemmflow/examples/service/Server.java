// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.service;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The HTTP side of a server, on rank 0: each request has a thread that waits for its tokens. */
final class Server implements AutoCloseable {
  private final HttpServer http;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Metrics metrics;

  /** Binds the address, and answers from then on. */
  Server(InetSocketAddress address, ServedModel model, RequestReader reader, Desk desk)
      throws IOException {
    this.metrics = desk.metrics();
    this.http = HttpServer.create(address, 0);
    http.setExecutor(threads);
    http.createContext("/v1/completions", new CompletionHandler(false, model, reader, desk));
    http.createContext("/v1/chat/completions", new CompletionHandler(true, model, reader, desk));
    get("/v1/models", "application/json", () -> models(model));
    get("/metrics", "text/plain; version=0.0.4", () -> metrics.text(desk));
    http.createContext(
        "/health",
        exchange -> {
          try (exchange) {
            boolean isOpen = desk.isOpen();
            Replies.send(exchange, isOpen ? 200 : 503, "text/plain", isOpen ? "ok\n" : "ending\n");
          }
        });
    http.createContext("/", exchange -> refuse(exchange, 404, "there is no such page"));
    http.start();
  }

  private interface Page {
    String text();
  }

  private void get(String path, String type, Page page) {
    http.createContext(
        path,
        exchange -> {
          if (!exchange.getRequestMethod().equals("GET")) {
            refuse(exchange, 405, "use GET, not " + exchange.getRequestMethod());
            return;
          }
          try (exchange) {
            Replies.send(exchange, 200, type, page.text());
          }
        });
  }

  private void refuse(HttpExchange exchange, int status, String message) throws IOException {
    try (exchange) {
      metrics.answer(status);
      Replies.json(exchange, status, Answer.error(message));
    }
  }

  private static String models(ServedModel model) {
    ObjectNode list = new JsonMapper().createObjectNode();
    list.put("object", "list");
    list.putArray("data")
        .addObject()
        .put("id", model.name())
        .put("object", "model")
        .put("owned_by", "gemmflow");
    return list.toString();
  }

  /** Where it listens. */
  InetSocketAddress address() {
    return http.getAddress();
  }

  /**
   * Gives answers that are on their way a second to arrive, and waits for nobody after that. The
   * desk ends before: then nobody waits for a token.
   */
  @Override
  public void close() {
    http.stop(1);
    threads.shutdownNow();
  }
}
