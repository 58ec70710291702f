// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Jobs that are there at the same time and are measured in turns: who is not asked sleeps. Their
 * ranks find their pipes in a directory; see {@link Pipes}.
 */
final class Contest implements AutoCloseable {
  private final int ranks;
  private final Path directory;
  private final Map<Process, Pipes> jobs = new LinkedHashMap<>();

  /**
   * Nobody yet.
   *
   * @param ranks of each job
   */
  Contest(int ranks) throws IOException {
    this.ranks = ranks;
    this.directory = Files.createTempDirectory("gemmflow-benchmark-");
  }

  /** Where the pipes are; all jobs get it as an argument. */
  String directory() {
    return directory.toString();
  }

  /** Starts a job. Returns when its ranks can be asked. */
  Pipes start(String name, List<String> command) throws IOException, InterruptedException {
    Pipes pipes = new Pipes(directory, name, ranks);
    Process job =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    jobs.put(job, pipes);
    var _ = job.onExit().thenRun(pipes::letGo);
    pipes.open();
    if (!job.isAlive()) {
      throw new IOException(
          "'%s' has ended before it began: %s".formatted(name, String.join(" ", command)));
    }
    return pipes;
  }

  /** Ends all jobs, and waits for them. */
  @Override
  public void close() throws IOException {
    try {
      for (Map.Entry<Process, Pipes> job : jobs.entrySet()) {
        // This ends it, unless it hangs.
        job.getValue().close();
        if (!job.getKey().waitFor(20, TimeUnit.SECONDS)) {
          job.getKey().destroy();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    try (var files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }
}
