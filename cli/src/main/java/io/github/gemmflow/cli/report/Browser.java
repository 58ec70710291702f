// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Chromium that does one thing and ends, without a window and without a port, and with a profile
 * that is gone when this is closed.
 */
final class Browser implements AutoCloseable {
  /** What it is called by Debian, Ubuntu and Google. */
  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome");

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final String program;
  private final Path profile;

  /** With a profile of its own. */
  Browser(String program) throws IOException {
    if (!canRun(program)) {
      throw new IOException(
          "the browser %s cannot be run: name another one with --browser".formatted(program));
    }
    this.program = program;
    this.profile = Files.createTempDirectory("gemmflow-browser");
  }

  /**
   * Finds the program.
   *
   * @param asked its name or path; null for any that is on the path
   * @throws IOException if there is none; says what to do
   */
  static String find(@Nullable String asked) throws IOException {
    if (asked != null) {
      return asked;
    }
    for (String directory : path()) {
      for (String name : NAMES) {
        if (isProgram(Path.of(directory, name))) {
          return name;
        }
      }
    }
    throw new IOException(
        "a picture needs a browser, and none of %s is on the PATH: install Debian's package chromium, or name another one with --browser"
            .formatted(NAMES));
  }

  private static List<String> path() {
    return List.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1));
  }

  private static boolean isProgram(Path path) {
    return Files.isRegularFile(path) && Files.isExecutable(path);
  }

  private static boolean canRun(String program) {
    return program.contains("/")
        ? isProgram(Path.of(program))
        : path().stream().anyMatch(directory -> isProgram(Path.of(directory, program)));
  }

  /**
   * How to start it without a window.
   *
   * @param profile where it keeps what it must not keep
   */
  static List<String> command(String program, Path profile) {
    List<String> command = new ArrayList<>(List.of(program, "--headless"));
    command.add("--user-data-dir=" + profile);
    command.addAll(List.of("--no-first-run", "--disable-background-networking", "--disable-gpu"));
    if (System.getProperty("user.name").equals("root")) {
      command.add("--no-sandbox"); // Chromium refuses to run as root with one
    }
    return command;
  }

  String name() {
    return program;
  }

  Path profile() {
    return profile;
  }

  /**
   * Runs it to its end.
   *
   * @return what it printed; of its errors the last line only, if it printed nothing else
   * @throws IOException if it fails, or does not end in time
   */
  String run(List<String> arguments) throws IOException {
    List<String> command = command(program, profile);
    command.add("--hide-scrollbars");
    command.addAll(arguments);
    Path output = profile.resolve("output");
    Path errors = profile.resolve("errors");
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile())
            .start();
    try {
      process.getOutputStream().close();
      if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        throw new IOException(
            "the browser %s did not end within %d s".formatted(program, PATIENCE.toSeconds()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the browser drew", e);
    } finally {
      end(process);
    }
    String printed = Files.readString(output, UTF_8);
    String last = lastLine(errors);
    if (process.exitValue() != 0) {
      throw new IOException(
          "the browser %s exited with code %d, and printed %s"
              .formatted(program, process.exitValue(), last));
    }
    return printed.isEmpty() ? last : printed;
  }

  private static String lastLine(Path file) throws IOException {
    List<String> lines = Files.readString(file, UTF_8).lines().toList();
    return lines.isEmpty() ? "nothing" : lines.getLast();
  }

  /** Ends a process and those that it started. */
  static void end(Process process) {
    List<ProcessHandle> all =
        Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
    all.forEach(ProcessHandle::destroyForcibly);
    all.forEach(each -> each.onExit().completeOnTimeout(each, 5, TimeUnit.SECONDS).join());
  }

  /** Deletes a profile. */
  static void delete(Path profile) {
    try (Stream<Path> files = Files.walk(profile)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + profile, e);
    }
  }

  @Override
  public void close() {
    delete(profile);
  }
}
