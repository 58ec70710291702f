// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.setup;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Settings of a process: properties first, then the environment. */
public record Settings(Properties properties, Map<String, String> environment) {
  private static final Pattern DURATION = Pattern.compile("(\\d+)(ms|s|m)");

  /** Reads a setting. */
  public <T> T get(String name, T otherwise, Function<String, T> parse) {
    T value = find(name, parse);
    return value == null ? otherwise : value;
  }

  /** Reads a setting; null if there is no such setting. */
  public <T> @Nullable T find(String name, Function<String, T> parse) {
    String property = "gemmflow." + name;
    String variable = property.toUpperCase(Locale.ROOT).replace('.', '_');
    String value = properties.getProperty(property);
    String source = "-D" + property;
    if (value == null) {
      value = environment.get(variable);
      source = variable;
    }
    if (value == null) {
      return null;
    }
    try {
      return parse.apply(value.strip());
    } catch (RuntimeException e) {
      throw new IllegalArgumentException("%s=%s: %s".formatted(source, value, e.getMessage()), e);
    }
  }

  /** Reads a time such as 250ms, 30s or 5m. */
  public static Duration parseDuration(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("expected a time, for example 250ms, 30s or 5m");
    }
    int number = parseInt(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      default -> Duration.ofMinutes(number);
    };
  }

  /** Reads a whole number. */
  public static int parseInt(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("expected a whole number", e);
    }
  }

  /** Reads the name of a constant, in upper or lower case. */
  public static <E extends Enum<E>> Function<String, E> oneOf(E[] values) {
    return text ->
        Arrays.stream(values)
            .filter(value -> value.name().equalsIgnoreCase(text))
            .findFirst()
            .orElseThrow(
                () -> new IllegalArgumentException("expected one of " + Arrays.toString(values)));
  }
}
