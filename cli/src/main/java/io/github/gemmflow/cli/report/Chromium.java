// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
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

/** A Chromium without a window, and with a profile that is gone when it is closed. */
final class Chromium implements AutoCloseable {
  /** What it is called by Debian, Ubuntu and Google. */
  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome");

  /** What it prints when a client can connect. */
  private static final String LISTENING = "DevTools listening on ";

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
    for (String directory :
        System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
      for (String name : NAMES) {
        if (Files.isExecutable(Path.of(directory, name))) {
          return name;
        }
      }
    }
    throw new IOException(
        "a picture needs a browser, and none of %s is on the PATH: install Debian's package chromium, or name another one with --browser"
            .formatted(NAMES));
  }

  /** Starts a browser and opens an empty page in it. */
  static Chromium start(String program, Duration patience) throws IOException {
    Path profile = Files.createTempDirectory("gemmflow-browser");
    List<String> command =
        new ArrayList<>(List.of(program, "--headless", "--remote-debugging-port=0"));
    command.add("--user-data-dir=" + profile);
    command.addAll(List.of("--no-first-run", "--disable-background-networking", "--disable-gpu"));
    if (System.getProperty("user.name").equals("root")) {
      command.add("--no-sandbox"); // Chromium refuses to run as root with one
    }
    command.add("about:blank");
    Process process = null;
    try {
      process = launch(command);
      URI address = Deadline.await(address(process), patience, program + " did not start");
      return new Chromium(process, profile, DevTools.connect(address, patience));
    } catch (IOException | RuntimeException e) {
      end(process, profile);
      throw e;
    }
  }

  private static Process launch(List<String> command) throws IOException {
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new IOException(
          "the browser %s cannot be run: name another one with --browser".formatted(command.get(0)),
          e);
    }
  }

  /** Reads what it prints for as long as it prints, lest it waits for a reader. */
  private static CompletableFuture<URI> address(Process process) {
    CompletableFuture<URI> address = new CompletableFuture<>();
    BufferedReader lines = process.inputReader(UTF_8);
    Thread.ofVirtual()
        .start(
            () -> {
              String last = "";
              try (lines) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                  last = line;
                  if (line.startsWith(LISTENING)) {
                    address.complete(URI.create(line.substring(LISTENING.length())));
                  }
                }
              } catch (IOException e) {
                last = e.toString();
              }
              address.completeExceptionally(
                  new IOException("it ended" + (last.isEmpty() ? "" : ", and said " + last)));
            });
    return address;
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
    devTools.close();
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
