// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve.http;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.github.gemmflow.models.batch.Scheduler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The HTTP side of a server, on rank 0: each request has a thread that waits for its tokens. */
final class Server implements AutoCloseable {
  private final HttpServer http;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Gate gate;

  /**
   * Binds the address, and answers from then on.
   *
   * @param names that clients may ask the server by, beside localhost and numbers
   */
  Server(
      InetSocketAddress address,
      List<String> names,
      ServedModel model,
      RequestReader reader,
      Scheduler scheduler)
      throws IOException {
    Metrics metrics = new Metrics();
    this.gate = new Gate(names, metrics);
    this.http = HttpServer.create(address, 0);
    http.setExecutor(threads);
    add("/v1/completions", new CompletionHandler(false, model, reader, scheduler, metrics));
    add("/v1/chat/completions", new CompletionHandler(true, model, reader, scheduler, metrics));
    get("/v1/models", "application/json", () -> models(model));
    get("/metrics", "text/plain; version=0.0.4", () -> metrics.text(scheduler));
    add(
        "/health",
        exchange -> {
          try (exchange) {
            boolean isOpen = scheduler.isOpen();
            Replies.send(exchange, isOpen ? 200 : 503, "text/plain", isOpen ? "ok\n" : "ending\n");
          }
        });
    add("/", exchange -> gate.refuse(exchange, 404, "no such page"));
    http.start();
  }

  private void add(String path, HttpHandler handler) {
    http.createContext(path, handler).getFilters().add(gate);
  }

  private interface Page {
    String text();
  }

  private void get(String path, String type, Page page) {
    add(
        path,
        exchange -> {
          if (!exchange.getRequestMethod().equals("GET")) {
            gate.refuse(exchange, 405, "use GET, not " + exchange.getRequestMethod());
            return;
          }
          try (exchange) {
            Replies.send(exchange, 200, type, page.text());
          }
        });
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
   * scheduler ends before: then nobody waits for a token.
   */
  @Override
  public void close() {
    http.stop(1);
    threads.shutdownNow();
  }
}
