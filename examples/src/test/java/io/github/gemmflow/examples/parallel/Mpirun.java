// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Programs on ranks that are processes, under a real launcher. */
public final class Mpirun {
  private static final int MINUTES = 3;

  private Mpirun() {}

  /** A process that is over, with all that it printed. */
  public record Ended(int exitCode, String text) {}

  /** Runs a program on every rank; returns what it printed. */
  public static String run(String mpi, int ranks, Class<?> program, List<String> arguments)
      throws IOException {
    Ended ended = run(new ProcessBuilder(command(mpi, ranks, java(List.of(), program, arguments))));
    assertEquals(0, ended.exitCode(), ended.text());
    return ended.text();
  }

  /** Runs a process to its end. */
  public static Ended run(ProcessBuilder builder) throws IOException {
    Path output = Files.createTempFile("gemmflow-mpirun-", ".txt");
    try {
      Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
      boolean ended = process.waitFor(MINUTES, TimeUnit.MINUTES);
      process.destroyForcibly();
      String text = Files.readString(output);
      assertTrue(ended, () -> "not over after " + MINUTES + " minutes: " + text);
      return new Ended(process.exitValue(), text);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } finally {
      Files.delete(output);
    }
  }

  /** The command that runs another on every rank. */
  public static List<String> command(String mpi, int ranks, List<String> program) {
    List<String> command = new ArrayList<>(List.of("mpirun." + mpi, "-n", Integer.toString(ranks)));
    if (mpi.equals("openmpi")) {
      command.addAll(List.of("--allow-run-as-root", "--oversubscribe", "--bind-to", "none"));
    }
    command.addAll(program);
    return command;
  }

  /** The command that runs a program of this module in a Java of its own. */
  public static List<String> java(List<String> options, Class<?> program, List<String> arguments) {
    // Surefire may have put the class path into the manifest of a jar.
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classPath));
    command.addAll(options);
    command.add(program.getName());
    command.addAll(arguments);
    return command;
  }
}
