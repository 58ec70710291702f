// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system.ranks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Report of a rank to whoever launched it, about what passed and what did not: one line each, into
 * a file of its own, because launchers lose output when they lose a rank.
 */
public final class Report {
  /** Begins the line of a test that passed on this rank. */
  public static final String OK = "@ok ";

  /** Begins the line of a test that failed on this rank. */
  public static final String FAILED = "@failed ";

  /** Begins the line of a figure that is worth seeing. */
  public static final String FIGURE = "@figure ";

  /** A test; throws if it fails. */
  @FunctionalInterface
  interface Test {
    void run() throws Exception;
  }

  /** Names the directory for the files of a job; without it, lines are only printed. */
  public static final String DIRECTORY = "gemmflow.system.report";

  private static final @Nullable Path FILE = newFile();

  private Report() {}

  private static @Nullable Path newFile() {
    String directory = System.getProperty(DIRECTORY);
    if (directory == null) {
      return null;
    }
    try {
      return Files.createTempFile(Path.of(directory), "rank-", ".txt");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs a test on this rank; returns whether it passed. */
  static boolean run(String name, Test test) {
    try {
      test.run();
      ok(name);
      return true;
    } catch (Exception | AssertionError e) {
      failed(name, e);
      return false;
    }
  }

  static void ok(String test) {
    print(OK + test);
  }

  static void failed(String test, Throwable reason) {
    reason.printStackTrace();
    print(FAILED + test + ": " + reason);
  }

  static void figure(String text) {
    print(FIGURE + text);
  }

  private static synchronized void print(String line) {
    System.out.println(line);
    if (FILE == null) {
      return;
    }
    try {
      Files.writeString(FILE, line.replace('\n', ' ') + "\n", StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Throws if something is not so. */
  static void check(boolean condition, String otherwise) {
    if (!condition) {
      throw new AssertionError(otherwise);
    }
  }
}
