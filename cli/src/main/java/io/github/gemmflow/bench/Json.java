// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.bench;

import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes objects of numbers, texts, truth values and such objects (RFC 8259). */
final class Json {
  private Json() {}

  static String write(Object value) {
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(e -> quote(e.getKey().toString()) + ": " + write(e.getValue()))
          .collect(Collectors.joining(", ", "{", "}"));
    }
    if (value instanceof Double number) {
      // Neither infinities nor NaN can be written.
      return Double.isFinite(number) ? String.format(Locale.ROOT, "%.6g", number) : "null";
    }
    return value instanceof Number || value instanceof Boolean
        ? value.toString()
        : quote(value.toString());
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
