// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.software;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.gemmflow.mpi.binding.Launcher;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A program that starts ranks.
 *
 * @param launcher whose it is; {@link Launcher#NONE} if that is not known
 * @param version such as 4.1.4; empty if that is not known
 */
public record Mpirun(Path file, Launcher launcher, String version) {
  private static final Pattern VERSION = Pattern.compile("\\d+(\\.\\d+)+");

  /**
   * Asks a program what it is.
   *
   * @param patience how long it may take to answer
   */
  public static Mpirun ask(Path file, Duration patience) {
    String text = run(file, patience);
    Matcher version = VERSION.matcher(text);
    return new Mpirun(file, Launcher.ofVersion(text), version.find() ? version.group() : "");
  }

  /** What it prints; nothing if it cannot be run, or does not end. */
  private static String run(Path file, Duration patience) {
    try {
      Process process =
          new ProcessBuilder(file.toString(), "--version").redirectErrorStream(true).start();
      try {
        // It prints far less than a pipe holds.
        return process.waitFor(patience)
            ? new String(process.getInputStream().readAllBytes(), UTF_8)
            : "";
      } finally {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      return "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }
}
