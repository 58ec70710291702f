// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.json;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writer of numbers, texts, truth values, and objects and lists of those (RFC 8259). */
public final class Json {
  private Json() {}

  /** A value as text. */
  public static String write(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case Map<?, ?> map ->
          map.entrySet().stream()
              .map(e -> quote(e.getKey().toString()) + ": " + write(e.getValue()))
              .collect(Collectors.joining(", ", "{", "}"));
      case List<?> list ->
          list.stream().map(Json::write).collect(Collectors.joining(",\n  ", "[\n  ", "\n]"));
      case double[] numbers ->
          Arrays.stream(numbers).mapToObj(Json::write).collect(Collectors.joining(", ", "[", "]"));
      // Neither infinities nor NaN can be written.
      case Double number when !Double.isFinite(number) -> "null";
      case Double number -> String.format(Locale.ROOT, "%.6g", number);
      case Number number -> number.toString();
      case Boolean truth -> truth.toString();
      default -> quote(value.toString());
    };
  }

  private static String quote(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ') {
        quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
