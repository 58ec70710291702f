// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system;

import io.github.gemmflow.system.ranks.LostRank;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Loses a rank in the middle of a step, again and again, with the launcher's clean-up off. */
final class FaultTrials {
  private static final Duration DEADLINE = Duration.ofSeconds(2);
  private static final Duration LEFT_BEHIND = Duration.ofSeconds(5);

  private final MpiFamily mpi;
  private final int ranks;
  private final int hosts;
  private final String signal;
  private final long firstSeed;
  private final Tally tally;

  FaultTrials(MpiFamily mpi, int ranks, int hosts, String signal, long firstSeed, Tally tally) {
    this.mpi = mpi;
    this.ranks = ranks;
    this.hosts = hosts;
    this.signal = signal;
    this.firstSeed = firstSeed;
    this.tally = tally;
  }

  void run(int trials) {
    List<String> before = inSharedMemory();
    for (int i = 0; i < trials; i++) {
      Job job =
          new Job(mpi, ranks, hosts).launcher(mpi.noCleanUp()).patience(Duration.ofSeconds(60));
      long millis = DEADLINE.toMillis();
      tally.countSurvivors(
          job, LostRank.class, signal, Long.toString(firstSeed + i), Long.toString(millis));
      awaitNothingLeft(before);
    }
  }

  private void awaitNothingLeft(List<String> before) {
    long start = System.nanoTime();
    for (List<String> left = leftBehind(before); !left.isEmpty(); left = leftBehind(before)) {
      if (System.nanoTime() - start > LEFT_BEHIND.toNanos()) {
        tally.fail("left in /dev/shm: " + left);
        return;
      }
      LockSupport.parkNanos(100_000_000);
    }
  }

  private List<String> leftBehind(List<String> before) {
    return inSharedMemory().stream().filter(name -> !before.contains(name)).toList();
  }

  /** Files of ours in the shared memory of the hosts. */
  private List<String> inSharedMemory() {
    List<String> names = new ArrayList<>();
    if (hosts == 1) {
      try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
        files.forEach(file -> names.add(file.getFileName().toString()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    } else {
      for (int host = 0; host < hosts; host++) {
        names.addAll(Lab.exec(host, "ls", "/dev/shm").lines());
      }
    }
    return names.stream().filter(name -> name.startsWith("gemmflow-")).toList();
  }
}
