// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve.http;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The form of what a client gets: that of a completion or of a chat, whole or in pieces.
 *
 * @param model the name of the model
 * @param created seconds since 1970
 */
record Answer(boolean isChat, String model, long id, long created) {
  private static final JsonMapper MAPPER = new JsonMapper();

  /** All of it. */
  ObjectNode whole(String text, String reason, int promptTokens, int tokens) {
    ObjectNode choice = MAPPER.createObjectNode();
    if (isChat) {
      choice.putObject("message").put("role", "assistant").put("content", text);
    } else {
      choice.put("text", text);
    }
    ObjectNode answer = frame(isChat ? "chat.completion" : "text_completion", choice, reason);
    answer
        .putObject("usage")
        .put("prompt_tokens", promptTokens)
        .put("completion_tokens", tokens)
        .put("total_tokens", promptTokens + tokens);
    return answer;
  }

  /** A piece of its text. */
  ObjectNode piece(String text) {
    return frame(kindOfPiece(), content(text), null);
  }

  /** The last piece, which says why it is the last. */
  ObjectNode last(String reason) {
    return frame(kindOfPiece(), content(""), reason);
  }

  private ObjectNode content(String text) {
    ObjectNode choice = MAPPER.createObjectNode();
    if (isChat) {
      choice.putObject("delta").put("content", text);
    } else {
      choice.put("text", text);
    }
    return choice;
  }

  private String kindOfPiece() {
    return isChat ? "chat.completion.chunk" : "text_completion";
  }

  private ObjectNode frame(String kind, ObjectNode choice, @Nullable String reason) {
    ObjectNode answer = MAPPER.createObjectNode();
    answer.put("id", "cmpl-" + id).put("object", kind).put("created", created).put("model", model);
    choice.put("index", 0).put("finish_reason", reason);
    answer.putArray("choices").add(choice);
    return answer;
  }

  /** What a client gets that made a mistake, or met one. */
  static ObjectNode error(String message) {
    ObjectNode answer = MAPPER.createObjectNode();
    answer.putObject("error").put("message", message).put("type", "gemmflow_error");
    return answer;
  }
}
