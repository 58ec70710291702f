// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve.http;

import io.github.gemmflow.text.Tokenizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * Prompts of requests: text, tokens, or a conversation.
 *
 * @param chatTemplate of the model; empty if it has none
 * @param marks texts that the tokenizer takes for special tokens
 */
public record PromptReader(Tokenizer tokenizer, String chatTemplate, List<String> marks) {
  private static final List<String> ROLES = List.of("system", "user", "assistant");

  /** Makes one. */
  public PromptReader {
    marks = List.copyOf(marks);
  }

  /** The {@code prompt} of a completion: a text, or numbers of tokens. */
  List<Integer> completion(JsonNode body) throws ApiException {
    JsonNode prompt = body.path("prompt");
    if (!prompt.isArray()) {
      return encode(CompletionRequest.text(prompt, "prompt"));
    }
    List<Integer> tokens = new ArrayList<>();
    for (JsonNode token : prompt) {
      if (!token.isInt()) {
        throw new ApiException(400, "a prompt must be a string or a list of tokens, not " + token);
      }
      tokens.add(token.intValue());
    }
    return tokens;
  }

  /** The {@code messages} of a conversation. */
  List<Integer> chat(JsonNode body) throws ApiException {
    ChatFormat format = format();
    List<ChatFormat.Message> messages = new ArrayList<>();
    for (JsonNode message : body.path("messages")) {
      String role = CompletionRequest.text(message.path("role"), "role");
      if (!ROLES.contains(role)) {
        throw new ApiException(400, "role must be one of " + String.join(", ", ROLES));
      }
      String content = CompletionRequest.text(message.path("content"), "content");
      checkNoMark(content, marks);
      checkNoMark(content, format.marks());
      messages.add(new ChatFormat.Message(role, content));
    }
    if (messages.isEmpty()) {
      throw new ApiException(400, "messages must have at least one element");
    }
    return encode(format.text(messages));
  }

  private ChatFormat format() throws ApiException {
    try {
      return ChatFormat.of(chatTemplate);
    } catch (IllegalArgumentException e) {
      throw new ApiException(400, String.valueOf(e.getMessage()));
    }
  }

  /** Throws if a user's message could go on as one of the system, or of the model. */
  private static void checkNoMark(String content, List<String> marks) throws ApiException {
    for (String mark : marks) {
      if (content.contains(mark)) {
        throw new ApiException(
            400,
            "content must not contain %s, a special token of this model: remove it, or use /v1/completions, which allows special tokens"
                .formatted(mark));
      }
    }
  }

  private List<Integer> encode(String text) {
    return Arrays.stream(tokenizer.encode(text)).boxed().toList();
  }
}
