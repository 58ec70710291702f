// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve.http;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.util.concurrent.Semaphore;

/**
 * Reader of requests within bounded memory. A body is read only with a permit, of which there are
 * as many as bodies fit; without one the client is refused before it has sent the body. One long
 * body is parsed at a time, because its tree and its tokens take many times its memory.
 * Thread-safe.
 */
final class RequestReader {
  /** Bodies of so many bytes wait for nobody. */
  static final int SHORT = 16 << 10;

  private final ServedModel model;
  private final Semaphore bodies;
  private final Semaphore parsing = new Semaphore(1, true);

  /**
   * A reader.
   *
   * @param most bodies in memory at a time
   */
  RequestReader(ServedModel model, int most) {
    this.model = model;
    this.bodies = new Semaphore(most);
  }

  /** A request that the model can answer; refused if it cannot, or too many are being read. */
  CompletionRequest read(HttpExchange exchange, CompletionRequest.Reader prompts)
      throws ApiException, IOException, InterruptedException {
    if (!bodies.tryAcquire()) {
      throw new ApiException(503, "too many requests are being read: try again later");
    }
    try {
      return parse(Replies.body(exchange, model.maxBytes()), prompts);
    } finally {
      bodies.release();
    }
  }

  CompletionRequest parse(byte[] body, CompletionRequest.Reader prompts)
      throws ApiException, InterruptedException {
    if (body.length <= SHORT) {
      return parseNow(body, prompts);
    }
    parsing.acquire();
    try {
      return parseNow(body, prompts);
    } finally {
      parsing.release();
    }
  }

  private CompletionRequest parseNow(byte[] body, CompletionRequest.Reader prompts)
      throws ApiException {
    CompletionRequest request = CompletionRequest.parse(body, prompts);
    model.check(request);
    return request;
  }
}
