// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system.ranks;

import io.github.gemmflow.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Rank that joins the world, and reports the CPUs that its communication thread may use. */
public final class ShowsCpus {
  private static final String ALLOWED = "Cpus_allowed_list:";

  private ShowsCpus() {}

  public static void main(String[] arguments) throws IOException {
    try (World world = World.join();
        Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
      String cpus =
          tasks
              .filter(task -> lines(task.resolve("comm")).contains("gemmflow-comm"))
              .flatMap(task -> lines(task.resolve("status")).stream())
              .filter(line -> line.startsWith(ALLOWED))
              .map(line -> line.substring(ALLOWED.length()).strip())
              .findFirst()
              .orElseThrow();
      Report.figure("CPUs of rank %d: %s".formatted(world.rank(), cpus));
    }
  }

  /** Lines of a thread's file; none of a thread that has ended in the meantime. */
  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      if (!Files.exists(file)) {
        return List.of();
      }
      throw new UncheckedIOException(e);
    }
  }
}
