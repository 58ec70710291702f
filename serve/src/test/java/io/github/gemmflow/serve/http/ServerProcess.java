// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve.http;

import io.github.gemmflow.cli.Ran;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server as a user starts it: a process, or several under a launcher. */
final class ServerProcess implements AutoCloseable {
  private final Process process;
  private final List<String> lines = new ArrayList<>();
  private final int port;

  private ServerProcess(List<String> command) throws IOException {
    this.process = new ProcessBuilder(command).redirectErrorStream(true).start();
    this.port = readPort();
  }

  static ServerProcess local(int ranks, Path model, String... options) throws IOException {
    return local(List.of(), ranks, model, options);
  }

  /**
   * Ranks as threads of a process.
   *
   * @param java options for Java
   */
  static ServerProcess local(List<String> java, int ranks, Path model, String... options)
      throws IOException {
    List<String> command = new ArrayList<>(Ran.java());
    command.addAll(1, java);
    command.addAll(arguments(model, options));
    command.addAll(List.of("--engine", "local", "-n", Integer.toString(ranks)));
    return new ServerProcess(command);
  }

  /** Ranks as processes, which a launcher starts. */
  static ServerProcess mpi(String mpi, int ranks, Path model, String... options)
      throws IOException {
    List<String> command = new ArrayList<>(List.of("mpirun." + mpi, "-n", Integer.toString(ranks)));
    if (mpi.equals("openmpi")) {
      command.addAll(List.of("--allow-run-as-root", "--oversubscribe", "--bind-to", "none"));
    }
    int java = command.size();
    command.addAll(Ran.java());
    command.add(java + 1, "-Dgemmflow.deadline=5s");
    command.addAll(arguments(model, options));
    return new ServerProcess(command);
  }

  private static List<String> arguments(Path model, String... options) {
    List<String> all =
        new ArrayList<>(
            List.of("serve", "--model", model.toString(), "--port", "0", "--dtype", "F32"));
    all.addAll(List.of(options));
    return all;
  }

  private int readPort() throws IOException {
    BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      synchronized (lines) {
        lines.add(line);
      }
      int at = line.indexOf("answers on http://127.0.0.1:");
      if (at >= 0) {
        Thread.ofVirtual().start(() -> out.lines().forEach(this::keep));
        return Integer.parseInt(line.substring(line.lastIndexOf(':') + 1));
      }
    }
    throw new IllegalStateException("the server did not start: " + lines);
  }

  private void keep(String line) {
    synchronized (lines) {
      lines.add(line);
    }
  }

  int port() {
    return port;
  }

  Process process() {
    return process;
  }

  String text() {
    synchronized (lines) {
      return String.join("\n", lines);
    }
  }

  /** Waits for the end; returns the exit code. */
  int await(int seconds) throws InterruptedException {
    if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
      throw new IllegalStateException("not over after %d s: %s".formatted(seconds, text()));
    }
    return process.exitValue();
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
