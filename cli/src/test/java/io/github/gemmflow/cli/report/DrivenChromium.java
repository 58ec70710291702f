// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A Chromium without a window that tests drive. Pipes connect it with this process only. Any user
 * of the machine could connect to a port, and read files through the browser.
 */
final class DrivenChromium implements AutoCloseable {
  /**
   * Start of a program that reads commands from descriptor 3 and writes replies to descriptor 4,
   * which are the standard input and output of the process; all that it prints is standard error.
   */
  private static final List<String> WITH_PIPES =
      List.of("/bin/sh", "-c", "exec \"$@\" 3<&0 4>&1 </dev/null >&2", "sh");

  private final Process process;
  private final Path profile;
  private final DevTools devTools;

  private DrivenChromium(Process process, Path profile, DevTools devTools) {
    this.process = process;
    this.profile = profile;
    this.devTools = devTools;
  }

  /** Starts a browser and opens an empty page in it. */
  static DrivenChromium start(String program, Duration patience) throws IOException {
    Path profile = Files.createTempDirectory("gemmflow-browser");
    List<String> command = Browser.command(program, profile);
    command.add("--remote-debugging-pipe");
    command.add("about:blank");
    Process process = null;
    try {
      process = launch(command);
      DevTools devTools =
          new DevTools(
              process.getOutputStream(), process.getInputStream(), lastLine(process), patience);
      devTools.openEmptyPage(program + " did not start");
      return new DrivenChromium(process, profile, devTools);
    } catch (IOException | RuntimeException e) {
      end(process, profile);
      throw e;
    }
  }

  private static Process launch(List<String> command) throws IOException {
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
      Browser.end(process);
    }
    Browser.delete(profile);
  }
}
