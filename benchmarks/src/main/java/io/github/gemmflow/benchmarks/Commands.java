// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/** A rank's side of {@link Pipes}. */
final class Commands {
  /** What our job is called, where there is one. */
  static final String NAME = "gemmflow";

  private Commands() {}

  /**
   * Does what each line asks for, and answers with a line, until there are no more.
   *
   * @param name what this rank's job is called
   */
  static void serve(Path directory, String name, int rank, Function<List<String>, String> answer)
      throws IOException {
    try (BufferedReader commands =
            Files.newBufferedReader(Pipes.path(directory, name, "command", rank), UTF_8);
        Writer answers =
            Files.newBufferedWriter(Pipes.path(directory, name, "answer", rank), UTF_8)) {
      for (String line = commands.readLine(); line != null; line = commands.readLine()) {
        answers.write(answer.apply(List.of(line.split(" ", -1))) + "\n");
        answers.flush();
      }
    }
  }
}
