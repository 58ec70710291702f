// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process of its own, for what would stay in this one for ever. */
final class OwnProcess {
  private static final long PATIENCE_SECONDS = 60;

  private OwnProcess() {}

  /** Runs a class that has a main method on this class path, and returns what it said. */
  static String run(Path directory, Class<?> program, String... arguments)
      throws IOException, InterruptedException {
    return run(List.of(), directory, program, arguments);
  }

  /**
   * Runs a class that has a main method on this class path, and returns what it said.
   *
   * @param before words of the command before those that start Java
   * @param directory where that is kept meanwhile
   */
  static String run(List<String> before, Path directory, Class<?> program, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(before);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("said").toFile())
            .start();
    boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (!ended) {
      process.destroyForcibly().waitFor();
    }
    String said = Files.readString(directory.resolve("said"));
    assertTrue(ended, () -> "it hangs: " + said);
    return said;
  }
}
