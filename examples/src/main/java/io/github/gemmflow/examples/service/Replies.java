// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.service;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.JsonNode;

/** Bodies of requests and answers. */
final class Replies {
  private Replies() {}

  /** What a client sent; refused if it is longer than it may be. */
  static byte[] body(HttpExchange exchange, int maxBytes) throws ApiException, IOException {
    try (InputStream in = exchange.getRequestBody()) {
      byte[] body = in.readNBytes(maxBytes + 1);
      if (body.length > maxBytes) {
        throw new ApiException(413, "a request has at most %d bytes".formatted(maxBytes));
      }
      return body;
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
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }
}
