// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.job;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers with units, as they are given to options. */
public final class Units {
  private static final Pattern RATE = Pattern.compile("(\\d+(?:\\.\\d+)?)(k|m|g)?bit");
  private static final Pattern TIME = Pattern.compile("(\\d+(?:\\.\\d+)?)(ns|us|ms|s)");

  private Units() {}

  /** Bits per second, written as tc(8) writes them. */
  public static double rate(String option, String text) {
    Matcher matcher = match(RATE, option, text, "expected a rate, for example 1gbit or 250mbit");
    double unit =
        switch (matcher.group(2)) {
          case "g" -> 1e9;
          case "m" -> 1e6;
          case "k" -> 1e3;
          case null, default -> 1;
        };
    return Double.parseDouble(matcher.group(1)) * unit;
  }

  public static Duration time(String option, String text) {
    Matcher matcher = match(TIME, option, text, "expected a time, for example 50us or 1.5ms");
    double unit =
        switch (matcher.group(2)) {
          case "s" -> 1e9;
          case "ms" -> 1e6;
          case "us" -> 1e3;
          default -> 1;
        };
    return Duration.ofNanos(Math.round(Double.parseDouble(matcher.group(1)) * unit));
  }

  private static Matcher match(Pattern pattern, String option, String text, String how) {
    Matcher matcher = pattern.matcher(text.toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new CommandException(ExitCode.INPUT, "%s %s: %s".formatted(option, text, how));
    }
    return matcher;
  }
}
