// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve.http;

import static java.lang.System.Logger.Level.ERROR;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.github.gemmflow.models.batch.Generation;
import io.github.gemmflow.models.batch.Scheduler;
import io.github.gemmflow.text.StopText;
import io.github.gemmflow.text.TextStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.node.ObjectNode;

/** Handler of requests for completions, or of those for chats. Thread-safe. */
final class CompletionHandler implements HttpHandler {
  private static final System.Logger LOG = System.getLogger(CompletionHandler.class.getName());

  private final boolean isChat;
  private final ServedModel model;
  private final RequestReader reader;
  private final Scheduler scheduler;
  private final Metrics metrics;

  CompletionHandler(
      boolean isChat,
      ServedModel model,
      RequestReader reader,
      Scheduler scheduler,
      Metrics metrics) {
    this.isChat = isChat;
    this.model = model;
    this.reader = reader;
    this.scheduler = scheduler;
    this.metrics = metrics;
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      int status = 200;
      try {
        answer(exchange);
      } catch (ApiException e) {
        status = e.status();
        Replies.json(exchange, status, Answer.error(e.text()));
      } catch (IOException e) {
        // The client is gone.
        status = 499;
        throw e;
      } catch (InterruptedException e) {
        status = 503;
        Thread.currentThread().interrupt();
      } catch (RuntimeException | Error e) {
        status = 500;
        LOG.log(ERROR, "a request has failed", e);
        if (exchange.getResponseCode() < 0) {
          Replies.json(exchange, status, Answer.error("internal server error: " + e));
        }
      } finally {
        metrics.answer(status);
      }
    }
  }

  private void answer(HttpExchange exchange)
      throws ApiException, IOException, InterruptedException {
    if (!exchange.getRequestMethod().equals("POST")) {
      throw new ApiException(405, "use POST, not " + exchange.getRequestMethod());
    }
    // Any page in a browser may send forms and plain text here, but not JSON.
    String type = exchange.getRequestHeaders().getFirst("Content-Type");
    if (type == null || !type.split(";", 2)[0].strip().equalsIgnoreCase("application/json")) {
      throw new ApiException(415, "send JSON, with the header 'Content-Type: application/json'");
    }
    CompletionRequest request =
        reader.read(exchange, isChat ? model.prompts()::chat : model.prompts()::completion);
    Generation generation =
        scheduler
            .submit(request::task)
            .orElseThrow(
                () ->
                    new ApiException(503, "the server is busy or shutting down: try again later"));
    metrics.prompt(request.prompt().size());
    long now = System.currentTimeMillis() / 1000;
    Answer answer = new Answer(isChat, model.name(), generation.task().id(), now);
    boolean isOver = false;
    try {
      if (request.isStream()) {
        stream(exchange, request, generation, answer);
      } else {
        StringBuilder text = new StringBuilder();
        Reading reading = new Reading(request, generation);
        while (!reading.isOver()) {
          text.append(reading.next());
        }
        ObjectNode whole =
            answer.whole(
                text.toString(), reading.reason(), request.prompt().size(), reading.tokens());
        Replies.json(exchange, 200, whole);
      }
      isOver = true;
    } finally {
      if (!isOver) {
        scheduler.cancel(generation);
      }
    }
  }

  private void stream(
      HttpExchange exchange, CompletionRequest request, Generation generation, Answer answer)
      throws ApiException, IOException, InterruptedException {
    Reading reading = new Reading(request, generation);
    // The first piece may be a failure, which has a status only while nothing was sent.
    String text = reading.next();
    exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    try (OutputStream out = exchange.getResponseBody()) {
      send(out, answer.piece(text));
      while (!reading.isOver()) {
        try {
          send(out, answer.piece(reading.next()));
        } catch (ApiException e) {
          send(out, Answer.error(e.text()));
          return;
        }
      }
      send(out, answer.last(reading.reason()));
      out.write("data: [DONE]\n\n".getBytes(StandardCharsets.UTF_8));
    }
  }

  private static void send(OutputStream out, ObjectNode event) throws IOException {
    out.write("data: %s\n\n".formatted(event).getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  /** The text of an answer, as it comes. */
  private final class Reading {
    private final Generation generation;
    private final TextStream text = new TextStream(model.prompts().tokenizer());
    private final StopText stop;
    private String reason = "";
    private int tokens;

    Reading(CompletionRequest request, Generation generation) {
      this.generation = generation;
      this.stop = new StopText(request.stops());
    }

    /** Waits for more; may be empty. */
    String next() throws ApiException, InterruptedException {
      return switch (generation.take()) {
        case Generation.Event.Token token -> token(token.number());
        case Generation.Event.End end -> {
          reason = end.byItself() ? "stop" : "length";
          yield stop.add(text.end()) + stop.end();
        }
        case Generation.Event.Failure failure ->
            throw new ApiException(failure.isOrderly() ? 503 : 500, failure.message());
      };
    }

    private String token(int number) {
      tokens++;
      if (model.isEnd(number)) {
        return "";
      }
      String piece = stop.add(text.add(number));
      if (stop.isFound()) {
        reason = "stop";
        scheduler.cancel(generation);
      }
      return piece;
    }

    boolean isOver() {
      return !reason.isEmpty();
    }

    String reason() {
      return reason;
    }

    int tokens() {
      return tokens;
    }
  }
}
