// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.json;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/** JSON as maps, lists, texts, truth values, and numbers: whole ones as Long, others as Double. */
public final class JsonTree {
  /**
   * Pictures come as texts, and may be large. Of a name that comes twice, others may use the other
   * value.
   */
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .streamReadConstraints(
              StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build())
          .build();

  private JsonTree() {}

  /**
   * Reads a text.
   *
   * @throws IllegalArgumentException if it is not one JSON value
   */
  public static @Nullable Object read(String text) {
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), text)) {
      if (json.nextToken() == null) {
        throw new IllegalArgumentException("it is empty");
      }
      Object value = value(json);
      if (json.nextToken() != null) {
        throw new IllegalArgumentException("it has content after its end");
      }
      return value;
    } catch (JacksonException e) {
      throw new IllegalArgumentException(e.getOriginalMessage(), e);
    }
  }

  /** What must be an object. */
  @SuppressWarnings("unchecked") // keys are texts, as read below
  public static Map<String, Object> object(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      return (Map<String, Object>) map;
    }
    throw new IllegalStateException("not an object: " + value);
  }

  private static @Nullable Object value(JsonParser json) {
    return switch (json.currentToken()) {
      case START_OBJECT -> {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        while (json.nextToken() != JsonToken.END_OBJECT) {
          String name = json.currentName();
          json.nextToken();
          map.put(name, value(json));
        }
        yield map;
      }
      case START_ARRAY -> {
        List<@Nullable Object> list = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
          list.add(value(json));
        }
        yield list;
      }
      case VALUE_NUMBER_INT ->
          json.getNumberType() == JsonParser.NumberType.BIG_INTEGER
              ? (Object) json.getDoubleValue()
              : (Object) json.getLongValue();
      case VALUE_NUMBER_FLOAT -> json.getDoubleValue();
      case VALUE_TRUE, VALUE_FALSE -> json.getBooleanValue();
      case VALUE_NULL -> null;
      default -> json.getString();
    };
  }
}
