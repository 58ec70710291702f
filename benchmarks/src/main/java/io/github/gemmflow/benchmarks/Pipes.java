// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Named pipes to every rank of a job: a rank that waits for its next command sleeps in the kernel,
 * and takes nothing from the rival that is measured meanwhile.
 */
final class Pipes implements AutoCloseable {
  private static final long LET_GO_MILLIS = 10;

  private final Path directory;
  private final String name;
  private final int ranks;
  private final List<Writer> commands = new ArrayList<>();
  private final List<BufferedReader> answers = new ArrayList<>();
  private volatile boolean opened;

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
    return path(directory, name, kind, rank);
  }

  /** Where a pipe is; programs in other languages know this by heart. */
  static Path path(Path directory, String name, String kind, int rank) {
    return directory.resolve("%s.%s.%d".formatted(name, kind, rank));
  }

  private static void make(Path pipe) throws IOException, InterruptedException {
    if (new ProcessBuilder("mkfifo", pipe.toString()).inheritIO().start().waitFor() != 0) {
      throw new IOException("cannot make " + pipe);
    }
  }

  /** Waits until all ranks have opened theirs, or {@link #letGo} is called. */
  void open() throws IOException {
    for (int rank = 0; rank < ranks; rank++) {
      commands.add(Files.newBufferedWriter(path("command", rank), UTF_8));
      answers.add(Files.newBufferedReader(path("answer", rank), UTF_8));
    }
    opened = true;
  }

  /** Says that there are no ranks any more that could open theirs. */
  void letGo() {
    try {
      while (!opened) {
        for (int rank = 0; rank < ranks; rank++) {
          // Both a reader and a writer, so that it does not wait, for who waits for either;
          // fifo(7).
          new RandomAccessFile(path("command", rank).toFile(), "rw").close();
          new RandomAccessFile(path("answer", rank).toFile(), "rw").close();
        }
        Thread.sleep(LET_GO_MILLIS);
      }
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * What ranks measured.
   *
   * @param nanos the slowest one's time
   * @param extra the highest of their second numbers
   * @param steps the slowest one's time of each step, as far as they tell
   */
  record Time(long nanos, long extra, List<Long> steps) {}

  /**
   * Has all ranks do something at the same time.
   *
   * @param words what, and with which numbers
   */
  Time run(Object... words) throws IOException {
    String text = Arrays.stream(words).map(Object::toString).collect(Collectors.joining(" "));
    for (Writer command : commands) {
      command.write(text + "\n");
      command.flush();
    }
    List<Long> most = new ArrayList<>();
    for (BufferedReader answer : answers) {
      String line = answer.readLine();
      if (line == null) {
        throw new IOException(name + " has ended");
      }
      String[] numbers = line.split(" ", -1);
      for (int i = 0; i < numbers.length; i++) {
        long number = Long.parseLong(numbers[i]);
        if (i == most.size()) {
          most.add(number);
        }
        most.set(i, Math.max(most.get(i), number));
      }
    }
    return new Time(most.get(0), most.get(1), most.subList(2, most.size()));
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
