// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Object of a JSON file whose fields are read one by one. What is missing, or is not what it should
 * be, is refused by its name and that of the file.
 *
 * @param name of the file, and the fields that lead to the object
 */
record Json(String name, JsonNode node) {
  /** Of a field that comes twice, others may use the other value. */
  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY).build();

  static Json read(Path file) throws IOException {
    return parse(file.toString(), Files.readString(file));
  }

  static Json parse(String name, String text) {
    JsonNode node;
    try {
      node = MAPPER.readTree(text);
    } catch (JacksonException e) {
      throw new IllegalArgumentException(name + " is not JSON: " + e.getOriginalMessage(), e);
    }
    if (!node.isObject()) {
      throw new IllegalArgumentException(name + " is not a JSON object");
    }
    return new Json(name, node);
  }

  /** Whether there is such a field, and it is not null. */
  boolean has(String field) {
    return node.hasNonNull(field);
  }

  /** An object within this one; if there is none, one without fields. */
  Json object(String field) {
    JsonNode inner = has(field) ? node.get(field) : MAPPER.createObjectNode();
    if (!inner.isObject()) {
      throw wrong(field, "an object");
    }
    return new Json(name + ": " + field, inner);
  }

  /** An object for each element of a list, or for each field of an object. */
  List<Json> objects(String field) {
    List<Json> all = new ArrayList<>();
    node.path(field).forEach(inner -> all.add(new Json(name + ": " + field, inner)));
    return all;
  }

  Iterable<String> fields() {
    return node.propertyNames();
  }

  int integer(String field) {
    JsonNode value = node.path(field);
    if (!value.isInt()) {
      throw wrong(field, "a whole number");
    }
    return value.intValue();
  }

  int integer(String field, int otherwise) {
    return has(field) ? integer(field) : otherwise;
  }

  double number(String field) {
    JsonNode value = node.path(field);
    if (!value.isNumber()) {
      throw wrong(field, "a number");
    }
    return value.doubleValue();
  }

  double number(String field, double otherwise) {
    return has(field) ? number(field) : otherwise;
  }

  boolean flag(String field) {
    if (has(field) && !node.get(field).isBoolean()) {
      throw wrong(field, "true or false");
    }
    return node.path(field).asBoolean(false);
  }

  String text(String field, String otherwise) {
    if (has(field) && !node.get(field).isString()) {
      throw wrong(field, "a text");
    }
    return has(field) ? node.get(field).stringValue() : otherwise;
  }

  /** The whole numbers of a field that has one or a list of them. */
  List<Integer> integers(String field) {
    JsonNode value = node.path(field);
    List<Integer> all = new ArrayList<>();
    if (value.isInt()) {
      all.add(value.intValue());
    }
    value.forEach(element -> all.add(element.intValue()));
    return all;
  }

  /** Throws unless a field is absent, null, or has this value. */
  void only(String field, String value) {
    if (has(field) && !node.get(field).asString().equals(value)) {
      throw new IllegalArgumentException(
          "%s: this example knows no models whose %s is %s, only %s"
              .formatted(name, field, node.get(field), value));
    }
  }

  private IllegalArgumentException wrong(String field, String what) {
    String is = node.has(field) ? node.get(field).toString() : "missing";
    return new IllegalArgumentException(
        "%s: %s must be %s, but it is %s".formatted(name, field, what, is));
  }
}
