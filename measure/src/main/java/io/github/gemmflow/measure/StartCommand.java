// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The command that somebody typed to start this job. A launcher's command line contains that of its
 * ranks, and the number of ranks and their hosts as well. It ends up in files that people pass on,
 * so values of environment variables and system properties are left out: some are passwords.
 */
final class StartCommand {
  private static final String MAIN_CLASS = "io.github.gemmflow.cli.Gemmflow";
  private static final List<String> LAUNCHERS =
      List.of("mpirun", "mpiexec", "orterun", "prterun", "srun");

  /** A variable or property with its value, as in {@code mpirun -x NAME=VALUE}. */
  private static final Pattern ASSIGNMENT =
      Pattern.compile("((?:-D)?[A-Za-z_][A-Za-z0-9_.]*)=.*", Pattern.DOTALL);

  /** Begins of names whose values are settings of ours, of Java or of MPI. */
  private static final List<String> SETTINGS =
      List.of("GEMMFLOW_", "OMP_", "OMPI_", "MPICH_", "UCX_", "FI_", "-Dgemmflow.", "-Djava.");

  /** Options of MPICH with a name and a value as two more arguments. */
  private static final List<String> ENV_OPTIONS = List.of("-env", "--env", "-genv", "--genv");

  /** An option of srun: names, or names with values, with commas between them. */
  private static final String EXPORT = "--export";

  private static final String HIDDEN = "...";

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
        return withoutSecrets(line).stream()
            .map(StartCommand::quoted)
            .collect(Collectors.joining(" "));
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

  /** The arguments of a launcher without values that may be secret. */
  static List<String> withoutSecrets(List<String> line) {
    List<String> shown = new ArrayList<>();
    for (int i = 0; i < line.size(); i++) {
      String argument = line.get(i);
      if (i >= 2 && ENV_OPTIONS.contains(line.get(i - 2)) && !isSetting(line.get(i - 1))) {
        shown.add(HIDDEN);
      } else if (argument.startsWith(EXPORT + "=")) {
        shown.add(EXPORT + "=" + withoutValues(argument.substring(EXPORT.length() + 1)));
      } else if (i >= 1 && line.get(i - 1).equals(EXPORT)) {
        shown.add(withoutValues(argument));
      } else {
        shown.add(withoutValue(argument));
      }
    }
    return shown;
  }

  private static String withoutValues(String assignments) {
    if (assignments.contains("'") || assignments.contains("\"")) {
      // A quoted value may have commas.
      return HIDDEN;
    }
    return Arrays.stream(assignments.split(","))
        .map(StartCommand::withoutValue)
        .collect(Collectors.joining(","));
  }

  private static String withoutValue(String argument) {
    Matcher assignment = ASSIGNMENT.matcher(argument);
    // Open MPI takes several in one argument, with semicolons between them.
    boolean isShown = isSetting(argument) && !argument.contains(";");
    return assignment.matches() && !isShown ? assignment.group(1) + "=" + HIDDEN : argument;
  }

  private static boolean isSetting(String name) {
    return SETTINGS.stream().anyMatch(name::startsWith);
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
