// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve.http;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.JsonNode;

/** Bodies of requests and answers. */
final class Replies {
  private Replies() {}

  /** What a client sent; refused if it is longer than it may be, before it is read if possible. */
  static byte[] body(HttpExchange exchange, int maxBytes) throws ApiException, IOException {
    String length = exchange.getRequestHeaders().getFirst("Content-Length");
    // Digits, or else the HTTP server has refused it.
    if (length == null || Long.parseLong(length) <= maxBytes) {
      byte[] body = read(exchange, maxBytes + 1);
      if (body.length <= maxBytes) {
        return body;
      }
    }
    throw new ApiException(413, "a request may have at most %d bytes".formatted(maxBytes));
  }

  private static byte[] read(HttpExchange exchange, int most) throws ApiException, IOException {
    try {
      return exchange.getRequestBody().readNBytes(most);
    } catch (RuntimeException e) {
      // The JDK's server does not check all that the body says about its chunks.
      throw new ApiException(400, "the body cannot be read: " + e);
    }
  }

  static void json(HttpExchange exchange, int status, JsonNode body) throws IOException {
    send(exchange, status, "application/json", body.toString());
  }

  static void send(HttpExchange exchange, int status, String type, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", type);
    if (status == 503) {
      exchange.getResponseHeaders().add("Retry-After", "1");
    }
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.sendResponseHeaders(status, -1);
      return;
    }
    exchange.sendResponseHeaders(status, bytes.length);
    OutputStream out = exchange.getResponseBody();
    out.write(bytes);
    // Before the exchange is closed, which waits for the rest of a body that nobody reads.
    out.flush();
  }
}
