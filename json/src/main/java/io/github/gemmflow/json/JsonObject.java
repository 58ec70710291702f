// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.json;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Object of a JSON file whose fields are read one by one. What is missing, or is not what it should
 * be, is refused by its name and that of the file.
 */
public final class JsonObject {
  private final String name;
  private final Map<String, @Nullable Object> values;

  private JsonObject(String name, Map<String, @Nullable Object> values) {
    this.name = name;
    this.values = values;
  }

  /**
   * Reads the object that a file is.
   *
   * @throws IllegalArgumentException if it is something else
   */
  public static JsonObject read(Path file) throws IOException {
    return parse(file.toString(), Files.readString(file));
  }

  /**
   * Reads the object that a text is.
   *
   * @param name of the text, for messages
   * @throws IllegalArgumentException if it is something else
   */
  public static JsonObject parse(String name, String text) {
    Object value;
    try {
      value = JsonTree.read(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("%s is not JSON: %s".formatted(name, e.getMessage()), e);
    }
    Map<String, @Nullable Object> values = asObject(value);
    if (values == null) {
      throw new IllegalArgumentException(name + " is not a JSON object");
    }
    return new JsonObject(name, values);
  }

  /** A value as an object; null if it is none. */
  private static @Nullable Map<String, @Nullable Object> asObject(@Nullable Object value) {
    if (!(value instanceof Map<?, ?> map)) {
      return null;
    }
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    map.forEach((field, inner) -> values.put(Objects.toString(field), inner));
    return values;
  }

  /** The name of the file, and the fields that lead to this object, for messages. */
  public String name() {
    return name;
  }

  /** Whether there is such a field, and it is not null. */
  public boolean has(String field) {
    return values.get(field) != null;
  }

  /** An object within this one; if there is none, one without fields. */
  public JsonObject object(String field) {
    Object inner = values.get(field);
    return inner == null ? new JsonObject(path(field), Map.of()) : inner(field, inner);
  }

  /** An object for each element of a list, or for each field of an object; none if it is absent. */
  public List<JsonObject> objects(String field) {
    Object value = values.get(field);
    Collection<? extends @Nullable Object> elements =
        switch (value) {
          case Map<?, ?> map -> map.values();
          case List<?> list -> list;
          case null -> List.of();
          default -> throw wrong(field, "a list or an object");
        };
    List<JsonObject> all = new ArrayList<>();
    elements.forEach(element -> all.add(inner(field, element)));
    return all;
  }

  private JsonObject inner(String field, @Nullable Object value) {
    Map<String, @Nullable Object> inner = asObject(value);
    if (inner == null) {
      throw wrong(field, "an object");
    }
    return new JsonObject(path(field), inner);
  }

  private String path(String field) {
    return name + ": " + field;
  }

  /** The names of its fields. */
  public Collection<String> fields() {
    return Collections.unmodifiableCollection(values.keySet());
  }

  /** A whole number that must be there. */
  public int integer(String field) {
    if (values.get(field) instanceof Long number && number == number.intValue()) {
      return number.intValue();
    }
    throw wrong(field, "a whole number");
  }

  /** A whole number, or another value if it is absent. */
  public int integer(String field, int otherwise) {
    return has(field) ? integer(field) : otherwise;
  }

  /** A number that must be there. */
  public double number(String field) {
    if (values.get(field) instanceof Number number) {
      return number.doubleValue();
    }
    throw wrong(field, "a number");
  }

  /** A number, or another value if it is absent. */
  public double number(String field, double otherwise) {
    return has(field) ? number(field) : otherwise;
  }

  /** A truth value; false if it is absent. */
  public boolean flag(String field) {
    if (!has(field)) {
      return false;
    }
    if (values.get(field) instanceof Boolean flag) {
      return flag;
    }
    throw wrong(field, "true or false");
  }

  /** A text, or another value if it is absent. */
  public String text(String field, String otherwise) {
    if (!has(field)) {
      return otherwise;
    }
    if (values.get(field) instanceof String text) {
      return text;
    }
    throw wrong(field, "a string");
  }

  /** The whole numbers of a field that has one or a list of them; none if it is absent. */
  public List<Integer> integers(String field) {
    if (!has(field)) {
      return List.of();
    }
    if (!(values.get(field) instanceof List<?> list)) {
      return List.of(integer(field));
    }
    List<Integer> all = new ArrayList<>();
    for (Object element : list) {
      if (!(element instanceof Long number) || number != number.intValue()) {
        throw wrong(field, "whole numbers");
      }
      all.add(number.intValue());
    }
    return all;
  }

  /**
   * Checks a field of which one value is known.
   *
   * @throws IllegalArgumentException unless it is absent, null, or has this value
   */
  public void only(String field, String value) {
    if (has(field) && !String.valueOf(values.get(field)).equals(value)) {
      throw new IllegalArgumentException(
          "%s: %s %s is not supported; supported: %s"
              .formatted(name, field, Json.write(values.get(field)), value));
    }
  }

  private IllegalArgumentException wrong(String field, String what) {
    String is = values.containsKey(field) ? Json.write(values.get(field)) : "missing";
    return new IllegalArgumentException(
        "%s: %s must be %s, but it is %s".formatted(name, field, what, is));
  }
}
