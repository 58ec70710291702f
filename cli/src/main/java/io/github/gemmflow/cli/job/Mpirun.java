// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.gemmflow.mpi.binding.Launcher;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Launch of this program, again, as the ranks of a job on this host. */
final class Mpirun {
  private static final long SECONDS_TO_END = 5;

  private final String program;
  private final MainCommand main;
  private final CommandOutput output;

  /**
   * A launcher.
   *
   * @param program its name or path
   */
  Mpirun(String program, MainCommand main) {
    this.program = program;
    this.main = main;
    this.output = main.output();
  }

  /** Runs so many ranks with the same Java and options; returns the exit code. */
  int run(int ranks) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(program));
    command.addAll(options(version()));
    command.addAll(List.of("-n", Integer.toString(ranks)));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.add("-D%s=%s".formatted(CommandOutput.WATCHED, output.watching()));
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), main.getClass().getName()));
    command.addAll(main.arguments());
    Process process =
        new ProcessBuilder(command)
            // Launchers read all that is there, for ranks that read nothing; MPICH's ends with
            // SIGPIPE if some of it comes when the ranks have ended.
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
            .start();
    AtomicBoolean ended = new AtomicBoolean();
    Thread ending = new Thread(() -> end(process, ended), "gemmflow-end");
    Runtime.getRuntime().addShutdownHook(ending);
    Failure failure = listen(process);
    int code = process.waitFor();
    if (ended.get()) {
      // Whoever ended this process needs no message about it.
      return code;
    }
    Runtime.getRuntime().removeShutdownHook(ending);
    if (failure != null) {
      return output.fail(failure);
    }
    return code == 0 ? code : output.fail(unexplained(code));
  }

  /** Reads to the end what ranks say; returns what went wrong on the first that tells it. */
  private @Nullable Failure listen(Process process) throws IOException {
    Failure first = null;
    Set<String> warnings = new HashSet<>();
    try (BufferedReader lines = process.errorReader(UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Failure failure = RankReport.failure(line);
        String progress = RankReport.progress(line);
        if (failure != null) {
          first = first == null || (failure.primary() && !first.primary()) ? failure : first;
        } else if (progress != null) {
          output.show(progress);
        } else if (output.isVerbose() || (first == null && isNew(line, warnings))) {
          // Once a rank has told what went wrong, a launcher only says that something has.
          output.passOn(line);
        }
      }
    }
    return first;
  }

  /** What all ranks warn of is said once. */
  private static boolean isNew(String line, Set<String> warnings) {
    return !line.startsWith(Log.PREFIX) || warnings.add(line);
  }

  private Failure unexplained(int code) {
    return new Failure(
        ExitCode.RANKS.number(),
        true,
        "%s ended with exit code %d, and no rank reported an error; run gemmflow doctor to check the launcher"
            .formatted(program, code));
  }

  /** A launcher that is told to end takes its ranks with it. */
  private static void end(Process process, AtomicBoolean ended) {
    ended.set(true);
    // Unlike the process's own method, this leaves open what is still being read from it.
    process.toHandle().destroy();
    try {
      process.waitFor(SECONDS_TO_END, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private String version() throws IOException, InterruptedException {
    Process process;
    try {
      process = new ProcessBuilder(program, "--version").redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.RANKS,
          "%s, which launches ranks as processes, cannot be run: install openmpi-bin or mpich, name another with --mpirun, or run ranks as threads with --engine local"
              .formatted(program));
    }
    String text = new String(process.getInputStream().readAllBytes(), UTF_8);
    process.waitFor();
    return text;
  }

  /** Open MPI binds ranks to cores and refuses to run more than there are, or as root. */
  static List<String> options(String version) {
    return Launcher.ofVersion(version) == Launcher.OPEN_MPI
        ? List.of("--bind-to", "none", "--oversubscribe", "--allow-run-as-root")
        : List.of();
  }
}
