// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.job;

import io.github.gemmflow.failure.BrokenException;
import io.github.gemmflow.failure.GemmflowException;
import io.github.gemmflow.mpi.binding.MpiException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;

/**
 * Reason why a command ended, for the person who called it.
 *
 * @param number the exit code
 * @param primary whether it is what went wrong, and not what followed from it on another rank
 */
record Failure(int number, boolean primary, String message) {
  private static final int MOST_LINES = 5;

  static Failure of(Throwable thrown) {
    Throwable what = cause(thrown);
    boolean primary = !(what instanceof BrokenException);
    return new Failure(code(what).number(), primary, message(what));
  }

  /** What a rank threw comes wrapped if it is a checked exception. */
  private static Throwable cause(Throwable thrown) {
    Throwable cause = thrown.getCause();
    return cause != null && isWrapper(thrown, cause) ? cause(cause) : thrown;
  }

  /** Whether an exception only repeats its cause; one with a message of its own says more. */
  private static boolean isWrapper(Throwable thrown, Throwable cause) {
    return (thrown instanceof IllegalStateException || thrown instanceof UncheckedIOException)
        && cause.toString().equals(thrown.getMessage());
  }

  private static ExitCode code(Throwable what) {
    if (what instanceof CommandException e) {
      return e.code();
    }
    if (what instanceof GemmflowException || what instanceof MpiException) {
      return ExitCode.RANKS;
    }
    return what instanceof IllegalArgumentException
            || what instanceof IOException
            || what instanceof UncheckedIOException
        ? ExitCode.INPUT
        : ExitCode.ERROR;
  }

  private static String message(Throwable what) {
    String text = what.getMessage() == null ? "" : what.getMessage();
    if (what instanceof NoSuchFileException e && e.getReason() == null) {
      return e.getFile() + ": no such file";
    }
    if (what instanceof AccessDeniedException e && e.getReason() == null) {
      return e.getFile() + ": no permission to read or write it";
    }
    if (what instanceof FileSystemException || code(what) != ExitCode.ERROR) {
      return text;
    }
    if (what instanceof OutOfMemoryError) {
      return "Java ran out of memory (%s): give it more, for example with JAVA_TOOL_OPTIONS=-Xmx16g"
          .formatted(text);
    }
    return "internal error, %s: run it again with --stacktrace, and report the output"
        .formatted(what);
  }

  /** The message in few lines: the beginning says what was tried, the end what fixes it. */
  Failure shortened() {
    List<String> lines = message.lines().toList();
    if (lines.size() <= MOST_LINES) {
      return this;
    }
    List<String> kept = new ArrayList<>(lines.subList(0, 2));
    kept.add("  ... (%d more lines: -v)".formatted(lines.size() - (MOST_LINES - 1)));
    kept.addAll(lines.subList(lines.size() - 2, lines.size()));
    return new Failure(number, primary, String.join("\n", kept));
  }
}
