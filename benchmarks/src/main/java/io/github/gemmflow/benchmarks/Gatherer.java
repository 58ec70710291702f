// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.gemmflow.AllGather;
import io.github.gemmflow.Group;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * A rank that gathers on demand, as {@code bare/allgather.c} does: for every line {@code name bytes
 * iterations} it answers with the nanoseconds that it took, and those that the comm thread worked.
 * The result is read in place if the name says so, and copied out otherwise.
 */
public final class Gatherer {
  /** Asks for results in place. */
  static final String IN_PLACE = "in-place";

  /** Asks for results that are copied out. */
  static final String COPIED = "copied";

  private static final long COLUMNS = 2048;

  private Gatherer() {}

  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[0]);
    try (World world = World.join()) {
      Group group = world.group();
      String rank = Integer.toString(world.rank());
      try (BufferedReader commands =
              Files.newBufferedReader(directory.resolve("gemmflow.command." + rank), UTF_8);
          Writer answers =
              Files.newBufferedWriter(directory.resolve("gemmflow.answer." + rank), UTF_8)) {
        serve(group, commands, answers);
      }
    }
  }

  private static void serve(Group group, BufferedReader commands, Writer answers)
      throws IOException {
    String line = commands.readLine();
    while (line != null) {
      long bytes = bytes(line);
      try (Arena arena = Arena.ofShared();
          Sized sized = new Sized(group, bytes, arena)) {
        while (line != null && bytes(line) == bytes) {
          List<String> words = List.of(line.split(" ", -1));
          answers.write(
              sized.time(words.get(0).equals(COPIED), Integer.parseInt(words.get(2))) + "\n");
          answers.flush();
          line = commands.readLine();
        }
      }
    }
  }

  private static long bytes(String line) {
    return Long.parseLong(line.split(" ", -1)[1]);
  }

  /** An all-gather of so many bytes per rank. */
  private static final class Sized implements AutoCloseable {
    private final Workspace space;
    private final AllGather gather;
    private final long[] rows;
    private final Matrix all;
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

    Sized(Group group, long bytes, Arena arena) {
      long rowBytes = Math.min(bytes, COLUMNS * Float.BYTES);
      long columns = rowBytes / Float.BYTES;
      rows = new long[group.size()];
      Arrays.fill(rows, bytes / rowBytes);
      long allRows = Arrays.stream(rows).sum();
      space = group.workspace(allRows, columns, DType.F32);
      gather = AllGather.on(space).columns(columns).build();
      all = Matrix.allocate(DType.F32, allRows, columns, arena);
      for (int i = 0; i < 2; i++) {
        // Both rooms of the workspace are filled once; benchmarks gather what is there.
        try (Step step = gather.begin(rows)) {
          step.input().fill(group.rank());
          step.run(all);
        }
      }
    }

    String time(boolean copied, int iterations) {
      step(copied);
      long cpu = commThreadNanos();
      long start = System.nanoTime();
      for (int i = 0; i < iterations; i++) {
        step(copied);
      }
      long nanos = System.nanoTime() - start;
      return nanos + " " + (commThreadNanos() - cpu);
    }

    private void step(boolean copied) {
      try (Step step = gather.begin(rows)) {
        if (copied) {
          step.run(all);
        } else {
          step.run();
        }
      }
    }

    private long commThreadNanos() {
      for (Thread thread : Thread.getAllStackTraces().keySet()) {
        if (thread.getName().equals("gemmflow-comm")) {
          return threads.getThreadCpuTime(thread.threadId());
        }
      }
      throw new IllegalStateException("there is no comm thread");
    }

    @Override
    public void close() {
      gather.close();
      space.close();
    }
  }
}
