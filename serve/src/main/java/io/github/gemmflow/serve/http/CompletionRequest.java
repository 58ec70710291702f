// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve.http;

import io.github.gemmflow.models.batch.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Function;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A request of a client, as OpenAI's interface has it. What this server cannot do is refused by its
 * name, unless it is asked for what is done anyway.
 *
 * @param prompt its tokens
 */
record CompletionRequest(
    List<Integer> prompt,
    int maxTokens,
    double temperature,
    double topP,
    long seed,
    List<String> stops,
    boolean isStream) {
  private static final JsonMapper MAPPER = new JsonMapper();

  /** Fields that are not known, with the values that change nothing. */
  private static final Map<String, String> UNKNOWN =
      Map.of(
          "n", "1",
          "best_of", "1",
          "echo", "false",
          "logprobs", "false",
          "suffix", "",
          "presence_penalty", "0",
          "frequency_penalty", "0",
          "logit_bias", "{}",
          "tools", "[]",
          "response_format", "{\"type\":\"text\"}");

  private static final int DEFAULT_TOKENS = 16;

  CompletionRequest {
    prompt = List.copyOf(prompt);
    stops = List.copyOf(stops);
  }

  /** How a body's prompt becomes tokens. */
  interface Reader {
    List<Integer> prompt(JsonNode body) throws ApiException;
  }

  static CompletionRequest parse(byte[] bytes, Reader reader) throws ApiException {
    JsonNode body;
    try {
      body = MAPPER.readTree(bytes);
    } catch (JacksonException e) {
      throw new ApiException(400, "the body is not JSON: " + e.getOriginalMessage());
    }
    if (!body.isObject()) {
      throw new ApiException(400, "the body is not a JSON object");
    }
    for (Map.Entry<String, String> unknown : UNKNOWN.entrySet()) {
      JsonNode value = body.path(unknown.getKey());
      String text = value.isContainer() ? value.toString() : value.asString("");
      boolean isSame = text.equals(unknown.getValue()) || text.equals(unknown.getValue() + ".0");
      if (body.hasNonNull(unknown.getKey()) && !isSame) {
        throw new ApiException(
            400,
            "%s is not supported; the only accepted value is %s"
                .formatted(unknown.getKey(), unknown.getValue()));
      }
    }
    String limit =
        body.hasNonNull("max_completion_tokens") ? "max_completion_tokens" : "max_tokens";
    return new CompletionRequest(
        reader.prompt(body),
        get(body, limit, JsonNode::isInt, JsonNode::intValue, DEFAULT_TOKENS),
        get(body, "temperature", JsonNode::isNumber, JsonNode::doubleValue, 1.0),
        get(body, "top_p", JsonNode::isNumber, JsonNode::doubleValue, 1.0),
        get(
            body,
            "seed",
            seed -> seed.isIntegralNumber() && seed.canConvertToLong(),
            JsonNode::longValue,
            new SplittableRandom().nextLong()),
        stops(body.path("stop")),
        get(body, "stream", JsonNode::isBoolean, JsonNode::booleanValue, false));
  }

  private static <T> T get(
      JsonNode body,
      String name,
      Function<JsonNode, Boolean> isRight,
      Function<JsonNode, T> value,
      T otherwise)
      throws ApiException {
    if (!body.hasNonNull(name)) {
      return otherwise;
    }
    if (!isRight.apply(body.get(name))) {
      throw new ApiException(400, "%s cannot be %s".formatted(name, body.get(name)));
    }
    return value.apply(body.get(name));
  }

  private static List<String> stops(JsonNode stop) throws ApiException {
    List<String> all = new ArrayList<>();
    if (stop.isString()) {
      all.add(stop.stringValue());
    } else if (stop.isArray()) {
      for (JsonNode one : stop) {
        all.add(one.asString(""));
      }
    } else if (!stop.isNull() && !stop.isMissingNode()) {
      throw new ApiException(400, "stop cannot be %s".formatted(stop));
    }
    if (all.contains("") || all.size() > 4) {
      throw new ApiException(400, "stop must be at most four strings that are not empty");
    }
    return all;
  }

  /** What the ranks are told. */
  Task task(long id) {
    return new Task(id, prompt, maxTokens, temperature, topP, seed);
  }

  /** What a field is, that must be a text. */
  static String text(JsonNode node, String what) throws ApiException {
    if (!node.isString()) {
      throw new ApiException(400, "%s must be a string".formatted(what));
    }
    return node.stringValue();
  }
}
