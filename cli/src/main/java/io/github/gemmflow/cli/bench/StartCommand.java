// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The command that somebody typed to start this job. A launcher's command line contains that of its
 * ranks, and the number of ranks and their hosts as well.
 */
final class StartCommand {
  private static final String MAIN_CLASS = "io.github.gemmflow.cli.Gemmflow";
  private static final List<String> LAUNCHERS =
      List.of("mpirun", "mpiexec", "orterun", "prterun", "srun");

  /** A launcher's helpers stand between it and its ranks, but not many of them. */
  private static final int ANCESTORS = 8;

  private StartCommand() {}

  /** The command behind a process of a job. */
  static String of(ProcessHandle process) {
    String own = named(System.getProperty("sun.java.command", ""));
    Optional<ProcessHandle> ancestor = process.parent();
    for (int i = 0; i < ANCESTORS && ancestor.isPresent(); i++) {
      List<String> line = commandLine(ancestor.get());
      if (line.contains(MAIN_CLASS)) {
        // The command itself started this launcher, and gave the ranks its own arguments.
        return own;
      }
      if (isLauncher(line)) {
        return line.stream().map(StartCommand::quoted).collect(Collectors.joining(" "));
      }
      ancestor = ancestor.get().parent();
    }
    return own;
  }

  /** What the JVM was asked to run, with the name by which people call it. */
  static String named(String javaCommand) {
    return javaCommand.startsWith(MAIN_CLASS)
        ? "gemmflow" + javaCommand.substring(MAIN_CLASS.length())
        : javaCommand;
  }

  /** Distributions add their own suffix, as in mpirun.openmpi. */
  static boolean isLauncher(List<String> line) {
    if (line.isEmpty()) {
      return false;
    }
    String program = line.get(0).substring(line.get(0).lastIndexOf('/') + 1);
    int dot = program.indexOf('.');
    return LAUNCHERS.contains(dot < 0 ? program : program.substring(0, dot));
  }

  /** An argument as a shell would have to be given it. */
  static String quoted(String argument) {
    return argument.matches("[A-Za-z0-9_@%+=:,./-]+")
        ? argument
        : "'" + argument.replace("'", "'\\''") + "'";
  }

  /** The arguments of a process, see proc_pid_cmdline(5); none if they cannot be read. */
  private static List<String> commandLine(ProcessHandle process) {
    try {
      String text =
          Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"), UTF_8);
      return text.isEmpty() ? List.of() : Arrays.asList(text.split("\0"));
    } catch (IOException e) {
      return List.of();
    }
  }
}
