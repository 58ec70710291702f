// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.gemmflow.system.ranks.CountedMpi;
import io.github.gemmflow.system.ranks.Report;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Ranks that are launched together, as processes, on this host or on those of the lab. */
public final class Job {
  /**
   * Option of Java for jobs that are soon over: many processes share few cores, which have better
   * to do than to compile for the long run.
   */
  static final String SOON_OVER = "-XX:TieredStopAtLevel=1";

  /**
   * Options of Java for many processes on few cores: little memory, and no file that tells others
   * about the process. Stacks are as large as ever: with 512 KiB, Open MPI overflows them.
   */
  private static final List<String> SMALL =
      List.of(
          SOON_OVER,
          "-Xmx48m",
          "-XX:ReservedCodeCacheSize=16m",
          "-XX:-UsePerfData",
          "-Dgemmflow.threads=1",
          "-Dgemmflow.deadline=5m");

  private final MpiFamily mpi;
  private final int ranks;
  private final int hosts;
  private boolean pretendsHosts;
  private final List<String> launcherOptions = new ArrayList<>();
  private final List<String> javaOptions = new ArrayList<>(List.of("-XX:+UseSerialGC"));
  private Duration patience = Duration.ofMinutes(4);
  private boolean asModules;
  private String countedPath = "";

  /**
   * A job.
   *
   * @param hosts the hosts of the lab that the ranks are spread over; 1 for this host
   */
  public Job(MpiFamily mpi, int ranks, int hosts) {
    this.mpi = mpi;
    this.ranks = ranks;
    this.hosts = hosts;
  }

  Job(MpiFamily mpi, int ranks) {
    this(mpi, ranks, 1);
  }

  /**
   * Runs ranks on this host that take themselves to be on several, if so; without options of the
   * launcher.
   */
  public Job pretendsHosts(boolean value) {
    pretendsHosts = value;
    return this;
  }

  Job launcher(List<String> options) {
    launcherOptions.addAll(options);
    return this;
  }

  public Job java(List<String> options) {
    javaOptions.addAll(options);
    return this;
  }

  /** Makes do with little memory and little time to start. */
  Job small() {
    return java(SMALL);
  }

  /** How long the job may take before it is ended. */
  Job patience(Duration value) {
    patience = value;
    return this;
  }

  /** Runs Gemmflow as modules, with native access for just them, instead of on the class path. */
  Job modules() {
    asModules = true;
    return this;
  }

  /** Lets ranks choose {@link CountedMpi}, which is no engine for others to find. */
  Job counted() {
    countedPath = ":" + ownClasses() + "counted";
    return this;
  }

  int ranks() {
    return ranks;
  }

  /**
   * What a job printed, what its ranks reported, and how it ended.
   *
   * @param exitCode negative if it had to be ended
   */
  record Result(int exitCode, List<String> lines, List<String> reports) {
    String text() {
      return String.join("\n", lines);
    }
  }

  /** Runs a main program on every rank. */
  Result run(Class<?> program, String... arguments) {
    try {
      Path reports = Files.createTempDirectory("gemmflow-job-");
      java(List.of("-D%s=%s".formatted(Report.DIRECTORY, reports)));
      Result result = execute(command(program, arguments), patience);
      return new Result(result.exitCode, result.lines, readAndDelete(reports));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> readAndDelete(Path directory) throws IOException {
    List<String> lines = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        lines.addAll(Files.readAllLines(file));
        Files.delete(file);
      }
    }
    Files.delete(directory);
    return lines;
  }

  /** The command that runs a main program on every rank. */
  public List<String> command(Class<?> program, String... arguments) {
    List<String> java =
        java(javaOptions, asModules ? modulePath() : classPath(countedPath), program.getName());
    java.addAll(List.of(arguments));
    return command(java);
  }

  /** The command that runs another command on every rank. */
  public List<String> command(List<String> onEveryRank) {
    List<String> command = new ArrayList<>();
    if (pretendsHosts) {
      command.addAll(List.of(Lab.program(), "pretend", mpi.toString()));
      command.addAll(List.of("--hosts", Integer.toString(hosts)));
    } else if (hosts > 1) {
      command.addAll(List.of(Lab.program(), "mpirun", mpi.toString()));
    } else {
      command.add(mpi.mpirun());
      command.addAll(mpi.options());
    }
    command.addAll(List.of("-n", Integer.toString(ranks)));
    command.addAll(launcherOptions);
    command.addAll(onEveryRank);
    return command;
  }

  /** The command that runs a main class or a source file in a JVM of its own, on the class path. */
  static List<String> java(List<String> options, String program) {
    return java(options, classPath(""), program);
  }

  private static List<String> java(List<String> options, List<String> path, String program) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(path);
    command.add(program);
    return command;
  }

  /** The same as this process's, and more. */
  private static List<String> classPath(String more) {
    return List.of(
        "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path") + more);
  }

  private static String ownClasses() {
    return Report.class.getProtectionDomain().getCodeSource().getLocation().getPath();
  }

  private static List<String> modulePath() {
    String jars =
        Arrays.stream(System.getProperty("java.class.path").split(":", -1))
            .filter(Job::isModule)
            .collect(Collectors.joining(":"));
    return List.of(
        "--illegal-native-access=deny",
        "--enable-native-access=io.github.gemmflow.core,io.github.gemmflow.mpi.binding",
        "--module-path",
        jars,
        "--add-modules",
        "io.github.gemmflow.mpi",
        "-cp",
        ownClasses());
  }

  /** Whether something on the class path is a jar of ours that users have, too. */
  private static boolean isModule(String entry) {
    String name = entry.substring(entry.lastIndexOf('/') + 1);
    return name.startsWith("gemmflow-") && !name.contains("-tests");
  }

  /** Runs a command to its end; ends it if that takes too long. */
  static Result execute(List<String> command, Duration patience) {
    List<String> lines = Collections.synchronizedList(new ArrayList<>());
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      Thread reader =
          Thread.ofPlatform()
              .daemon()
              .start(() -> process.inputReader(UTF_8).lines().forEach(lines::add));
      boolean ended = process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
      if (!ended) {
        lines.add("the job did not end within %d s".formatted(patience.toSeconds()));
        end(process);
      }
      reader.join(Duration.ofSeconds(5));
      synchronized (lines) {
        return new Result(ended ? process.exitValue() : -1, List.copyOf(lines), List.of());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void end(Process process) throws InterruptedException {
    // Launchers pass SIGTERM on to their ranks. The process's own method would close what is still
    // being read from it.
    process.toHandle().destroy();
    if (!process.waitFor(10, TimeUnit.SECONDS)) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }
}
