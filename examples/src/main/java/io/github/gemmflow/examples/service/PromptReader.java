// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.service;

import io.github.gemmflow.examples.checkpoint.Tokenizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Prompts of requests: text, tokens, or a conversation. */
record PromptReader(Tokenizer tokenizer, String chatTemplate) {
  /** The {@code prompt} of a completion: a text, or numbers of tokens. */
  List<Integer> completion(JsonNode body) throws ApiException {
    JsonNode prompt = body.path("prompt");
    if (!prompt.isArray()) {
      return encode(CompletionRequest.text(prompt, "prompt"));
    }
    List<Integer> tokens = new ArrayList<>();
    for (JsonNode token : prompt) {
      if (!token.isInt()) {
        throw new ApiException(400, "a prompt is a text or a list of tokens, not " + token);
      }
      tokens.add(token.intValue());
    }
    return tokens;
  }

  /** The {@code messages} of a conversation. */
  List<Integer> chat(JsonNode body) throws ApiException {
    List<ChatFormat.Message> messages = new ArrayList<>();
    for (JsonNode message : body.path("messages")) {
      messages.add(
          new ChatFormat.Message(
              CompletionRequest.text(message.path("role"), "role"),
              CompletionRequest.text(message.path("content"), "content")));
    }
    if (messages.isEmpty()) {
      throw new ApiException(400, "messages must have at least one");
    }
    try {
      return encode(ChatFormat.of(chatTemplate).text(messages));
    } catch (IllegalArgumentException e) {
      throw new ApiException(400, String.valueOf(e.getMessage()));
    }
  }

  private List<Integer> encode(String text) {
    return Arrays.stream(tokenizer.encode(text)).boxed().toList();
  }
}
