// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.cli.job.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;

/**
 * What came of a command.
 *
 * @param out what it printed
 * @param err what it printed to the error stream
 */
public record Ran(int exitCode, String out, String err) {
  /** So long that a machine that is busy with other things does not fail a test. */
  private static final long SECONDS = 600;

  /** In this process. */
  public static Ran here(String... words) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = Gemmflow.commandLine();
    line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    int exitCode = line.execute(words);
    return new Ran(exitCode, out.toString(), err.toString());
  }

  /**
   * In a process of its own, as a person would.
   *
   * @param before what stands before the command, such as a launcher
   */
  public static Ran apart(Path directory, List<String> before, String... words) {
    List<String> command = new ArrayList<>(before);
    command.addAll(java());
    command.addAll(List.of(words));
    return process(directory, command);
  }

  /** Any command. */
  public static Ran process(Path directory, List<String> command) {
    try {
      Path out = Files.createTempFile("gemmflow", ".out");
      Path err = Files.createTempFile("gemmflow", ".err");
      ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
      // Open MPI wants to be asked twice before it runs as root, and to run more ranks than cores.
      builder.environment().put("OMPI_ALLOW_RUN_AS_ROOT", "1");
      builder.environment().put("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
      builder.environment().put("OMPI_MCA_rmaps_base_oversubscribe", "1");
      Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
      if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
        process.destroy();
        throw new AssertionError("%s does not end".formatted(command));
      }
      Ran ran = new Ran(process.exitValue(), read(out), read(err));
      Files.delete(out);
      Files.delete(err);
      return ran;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * How this program is started, and the ranks that it starts: soon over, so little is compiled.
   */
  public static List<String> java() {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        "--enable-native-access=ALL-UNNAMED",
        "-cp",
        System.getProperty("java.class.path"),
        Gemmflow.class.getName());
  }

  private static String read(Path file) throws IOException {
    return new String(Files.readAllBytes(file), UTF_8);
  }

  /** Throws unless all went well. */
  public Ran good() {
    assertEquals(0, exitCode, this::toString);
    return this;
  }

  /** Throws unless it failed in this way, with a message that is no longer than a person reads. */
  public Ran bad(ExitCode code, String... parts) {
    assertEquals(code.number(), exitCode, this::toString);
    for (String part : parts) {
      assertTrue(err.contains(part), () -> "'%s' is missing in %s".formatted(part, this));
    }
    long lines = err.lines().count();
    assertTrue(lines >= 1 && lines < 6, () -> lines + " lines: " + err);
    assertTrue(err.startsWith("gemmflow: "), this::toString);
    assertTrue(!err.contains("\tat "), this::toString);
    return this;
  }
}
