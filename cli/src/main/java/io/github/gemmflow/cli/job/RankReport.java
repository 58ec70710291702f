// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.job;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Message of a rank to the process that started its job, as a line of its error stream: launchers
 * forward that from all hosts.
 */
final class RankReport {
  private static final String MARK = "gemmflow-report";
  private static final Pattern FAILURE =
      Pattern.compile(MARK + " failure (\\d+) (true|false) (.*)");
  private static final Pattern PROGRESS = Pattern.compile(MARK + " progress (.*)");

  private RankReport() {}

  static String of(Failure failure) {
    String text = failure.message().replace("\\", "\\\\").replace("\n", "\\n");
    return "%s failure %d %b %s".formatted(MARK, failure.number(), failure.primary(), text);
  }

  static String ofProgress(String line) {
    return "%s progress %s".formatted(MARK, line);
  }

  /** Null if the line tells of no failure. */
  static @Nullable Failure failure(String line) {
    Matcher matcher = FAILURE.matcher(line);
    return matcher.matches()
        ? new Failure(
            Integer.parseInt(matcher.group(1)),
            Boolean.parseBoolean(matcher.group(2)),
            unescape(matcher.group(3)))
        : null;
  }

  /** Null if the line tells of no progress. */
  static @Nullable String progress(String line) {
    Matcher matcher = PROGRESS.matcher(line);
    return matcher.matches() ? matcher.group(1) : null;
  }

  private static String unescape(String text) {
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\' && i + 1 < text.length()) {
        i++;
        plain.append(text.charAt(i) == 'n' ? '\n' : text.charAt(i));
      } else {
        plain.append(c);
      }
    }
    return plain.toString();
  }
}
