// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Chromium without a window, and with a profile that is gone when it is closed. Pipes connect it
 * with this process only. Any user of the machine could connect to a port, and read files through
 * the browser.
 */
final class Chromium implements AutoCloseable {
  /** What it is called by Debian, Ubuntu and Google. */
  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome");

  /**
   * Start of a program that reads commands from descriptor 3 and writes replies to descriptor 4,
   * which are the standard input and output of the process; all that it prints is standard error.
   */
  private static final List<String> WITH_PIPES =
      List.of("/bin/sh", "-c", "exec \"$@\" 3<&0 4>&1 </dev/null >&2", "sh");

  private final Process process;
  private final Path profile;
  private final DevTools devTools;

  private Chromium(Process process, Path profile, DevTools devTools) {
    this.process = process;
    this.profile = profile;
    this.devTools = devTools;
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

  /** Starts a browser and opens an empty page in it. */
  static Chromium start(String program, Duration patience) throws IOException {
    Path profile = Files.createTempDirectory("gemmflow-browser");
    List<String> command =
        new ArrayList<>(List.of(program, "--headless", "--remote-debugging-pipe"));
    command.add("--user-data-dir=" + profile);
    command.addAll(List.of("--no-first-run", "--disable-background-networking", "--disable-gpu"));
    if (System.getProperty("user.name").equals("root")) {
      command.add("--no-sandbox"); // Chromium refuses to run as root with one
    }
    command.add("about:blank");
    Process process = null;
    try {
      process = launch(command);
      DevTools devTools =
          new DevTools(
              process.getOutputStream(), process.getInputStream(), lastLine(process), patience);
      devTools.openEmptyPage(program + " did not start");
      return new Chromium(process, profile, devTools);
    } catch (IOException | RuntimeException e) {
      end(process, profile);
      throw e;
    }
  }

  private static Process launch(List<String> command) throws IOException {
    String program = command.getFirst();
    boolean found =
        program.contains("/")
            ? isProgram(Path.of(program))
            : path().stream().anyMatch(directory -> isProgram(Path.of(directory, program)));
    if (!found) {
      throw new IOException(
          "the browser %s cannot be run: name another one with --browser".formatted(program));
    }
    List<String> all = new ArrayList<>(WITH_PIPES);
    all.addAll(command);
    return new ProcessBuilder(all).start();
  }

  /** Reads what it prints for as long as it prints, lest it waits for a reader. */
  private static CompletableFuture<String> lastLine(Process process) {
    CompletableFuture<String> lastLine = new CompletableFuture<>();
    BufferedReader lines = process.errorReader(UTF_8);
    Thread.ofPlatform()
        .daemon()
        .name("gemmflow-browser-log")
        .start(
            () -> {
              String last = "";
              try (lines) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                  last = line;
                }
              } catch (IOException e) {
                last = e.toString();
              }
              lastLine.complete(last);
            });
    return lastLine;
  }

  /** Where it keeps what it must not keep. */
  Path profile() {
    return profile;
  }

  DevTools devTools() {
    return devTools;
  }

  @Override
  public void close() {
    end(process, profile);
  }

  private static void end(@Nullable Process process, Path profile) {
    if (process != null) {
      List<ProcessHandle> all =
          Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
      all.forEach(ProcessHandle::destroyForcibly);
      all.forEach(each -> each.onExit().completeOnTimeout(each, 5, TimeUnit.SECONDS).join());
    }
    try (Stream<Path> files = Files.walk(profile)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + profile, e);
    }
  }
}
