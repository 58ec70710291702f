// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Named pipes to every rank of a job: a rank that waits for its next command sleeps in the kernel,
 * and takes nothing from the rival that is measured meanwhile.
 */
final class Pipes implements AutoCloseable {
  private final Path directory;
  private final String name;
  private final int ranks;
  private final List<Writer> commands = new ArrayList<>();
  private final List<BufferedReader> answers = new ArrayList<>();

  Pipes(Path directory, String name, int ranks) throws IOException, InterruptedException {
    this.directory = directory;
    this.name = name;
    this.ranks = ranks;
    for (int rank = 0; rank < ranks; rank++) {
      make(path("command", rank));
      make(path("answer", rank));
    }
  }

  private Path path(String kind, int rank) {
    return directory.resolve("%s.%s.%d".formatted(name, kind, rank));
  }

  private static void make(Path pipe) throws IOException, InterruptedException {
    if (new ProcessBuilder("mkfifo", pipe.toString()).inheritIO().start().waitFor() != 0) {
      throw new IOException("cannot make " + pipe);
    }
  }

  /** Waits until all ranks have opened theirs. */
  void open() throws IOException {
    for (int rank = 0; rank < ranks; rank++) {
      commands.add(Files.newBufferedWriter(path("command", rank), UTF_8));
      answers.add(Files.newBufferedReader(path("answer", rank), UTF_8));
    }
  }

  /** What ranks measured: the slowest one's time, and the most that a comm thread worked. */
  record Time(long nanos, long commNanos) {}

  /** Has all ranks do something at the same time. */
  Time run(String what, long bytes, int iterations) throws IOException {
    for (Writer command : commands) {
      command.write("%s %d %d%n".formatted(what, bytes, iterations));
      command.flush();
    }
    long nanos = 0;
    long commNanos = 0;
    for (BufferedReader answer : answers) {
      String line = answer.readLine();
      if (line == null) {
        throw new IOException(name + " has ended");
      }
      String[] words = line.split(" ", -1);
      nanos = Math.max(nanos, Long.parseLong(words[0]));
      commNanos = Math.max(commNanos, Long.parseLong(words[1]));
    }
    return new Time(nanos, commNanos);
  }

  @Override
  public void close() throws IOException {
    for (Writer command : commands) {
      command.close();
    }
    for (BufferedReader answer : answers) {
      answer.close();
    }
  }
}
