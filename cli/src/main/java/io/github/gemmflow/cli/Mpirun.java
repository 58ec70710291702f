// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Launches this program again, as the ranks of a job on this host. */
final class Mpirun {
  private final String program;

  /**
   * A launcher.
   *
   * @param program its name or path
   */
  Mpirun(String program) {
    this.program = program;
  }

  /** Runs so many ranks with the same Java and options; returns the exit code. */
  int run(int ranks, List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(program));
    command.addAll(options(version()));
    command.addAll(List.of("-n", Integer.toString(ranks)));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Gemmflow.class.getName()));
    command.addAll(arguments);
    return new ProcessBuilder(command).inheritIO().start().waitFor();
  }

  private String version() throws IOException, InterruptedException {
    Process process;
    try {
      process = new ProcessBuilder(program, "--version").redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new IOException(
          "%s, which launches ranks as processes, cannot be run: install openmpi-bin or mpich, name another with --mpirun, or run ranks as threads with --engine local"
              .formatted(program),
          e);
    }
    String text = new String(process.getInputStream().readAllBytes(), UTF_8);
    process.waitFor();
    return text;
  }

  /** Open MPI binds ranks to cores and refuses to run more than there are, or as root. */
  static List<String> options(String version) {
    return version.contains("Open MPI") || version.contains("OpenRTE")
        ? List.of("--bind-to", "none", "--oversubscribe", "--allow-run-as-root")
        : List.of();
  }
}
