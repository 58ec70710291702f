// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve.http;

import io.github.gemmflow.models.batch.Sampler;
import io.github.gemmflow.models.checkpoint.ModelConfig;
import io.github.gemmflow.models.decoder.Decoder;

/**
 * Model of a server, and the limits of requests for it.
 *
 * @param maxTokens the most tokens of a text, prompt and answer
 * @param maxBytes the most bytes of a request
 */
public record ServedModel(
    String name, ModelConfig config, PromptReader prompts, int maxTokens, int maxBytes) {
  /** The same, with texts that fit the ranks' memory one by one. */
  public ServedModel within(long room) {
    int most = (int) Math.min(maxTokens, room - Decoder.MORE_TOKENS);
    if (most < 2) {
      throw new IllegalArgumentException(
          "a Java heap of %,d bytes has no room for keys and values of a sequence: give Java more memory, for example JDK_JAVA_OPTIONS=-Xmx8g"
              .formatted(Runtime.getRuntime().maxMemory()));
    }
    return new ServedModel(name, config, prompts, most, maxBytes);
  }

  boolean isEnd(int token) {
    return config.ends().contains(token);
  }

  /** Throws if the model cannot do what is asked for. */
  void check(CompletionRequest request) throws ApiException {
    int prompt = request.prompt().size();
    if (prompt == 0 || request.maxTokens() < 1 || request.maxTokens() > maxTokens - prompt) {
      throw new ApiException(
          400,
          "a prompt of %d tokens cannot be continued with %d: give at least one of each, and %d together at most"
              .formatted(prompt, request.maxTokens(), maxTokens));
    }
    for (int token : request.prompt()) {
      if (token < 0 || token >= config.vocabulary()) {
        throw new ApiException(
            400,
            "no token %d: the model has tokens 0 to %d".formatted(token, config.vocabulary() - 1));
      }
    }
    try {
      new Sampler(request.temperature(), request.topP(), request.seed());
    } catch (IllegalArgumentException e) {
      throw new ApiException(400, String.valueOf(e.getMessage()));
    }
  }
}
