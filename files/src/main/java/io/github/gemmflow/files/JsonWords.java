// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonToken;
import tools.jackson.core.TokenStreamLocation;

/** JSON in messages. */
final class JsonWords {
  private JsonWords() {}

  /** What comes next in a text; null if nothing. */
  static String kind(@Nullable JsonToken token) {
    if (token == null) {
      return "the end of the text";
    }
    return switch (token) {
      case START_OBJECT -> "an object";
      case START_ARRAY -> "an array of whole numbers";
      case VALUE_STRING -> "a string";
      case VALUE_NUMBER_INT -> "a whole number";
      default -> token.toString();
    };
  }

  /** Where something is wrong, with a space before it; empty if nobody knows. */
  static String place(JacksonException e) {
    TokenStreamLocation location = e.getLocation();
    return location == null ? "" : " at character %d".formatted(location.getCharOffset());
  }
}
