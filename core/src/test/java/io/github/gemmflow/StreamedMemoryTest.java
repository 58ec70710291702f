// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.kit.Way;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import io.github.gemmflow.window.Window;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What streamed steps take of shared memory does not depend on how many rows they have. */
@Tag("full")
class StreamedMemoryTest {
  private static final java.nio.file.Path MAPPINGS = java.nio.file.Path.of("/proc/self/smaps");
  private static final int[] HOSTS = {0, 0, 1};
  private static final long FEW = 1_000;
  private static final long MANY = 100_000;
  private static final int K = 64;
  private static final int N = 3;

  @Test
  void theWindowIsAsLargeForAHundredThousandRowsAsForAThousand() {
    assumeTrue(Files.exists(MAPPINGS), "this system does not say what is mapped");
    for (List<Long> columnsPerRank : List.of(List.<Long>of(), List.of(30L, 4L, 30L))) {
      long few = windowKib(FEW, Storage.STREAMED, columnsPerRank);
      long many = windowKib(MANY, Storage.STREAMED, columnsPerRank);
      long gathered = windowKib(MANY, Storage.GATHERED, columnsPerRank);
      System.out.printf(
          "StreamedMemoryTest: along %s: %d KiB for %d rows, %d KiB for %d; gathered %d KiB%n",
          columnsPerRank.isEmpty() ? "rows" : "columns", few, FEW, many, MANY, gathered);
      assertEquals(few, many);
      assertTrue(gathered > 10 * many, "what was measured is not where the rows are");
    }
  }

  /** The memory that all windows of all hosts have after some steps of so many rows. */
  private static long windowKib(long rows, Storage storage, List<Long> columnsPerRank) {
    Way way = new Way(Tuning.DEFAULT.withStorage(storage), columnsPerRank);
    long[] measured = new long[1];
    LocalWorld.onHosts(HOSTS)
        .run(
            world -> {
              Group group = world.group();
              try (Arena arena = Arena.ofShared();
                  Workspace space =
                      Workspace.on(group)
                          .rows(rows)
                          .columns(K)
                          .type(DType.BF16)
                          .tuning(way.tuning())
                          .open()) {
                runSteps(world, space, way, rows, arena);
                group.broadcast(1, new byte[0]);
                if (group.rank() == 0) {
                  measured[0] = mappedKib();
                }
                group.broadcast(0, new byte[0]);
              }
            });
    return measured[0];
  }

  private static void runSteps(World world, Workspace space, Way way, long rows, Arena arena) {
    Matrix b = Exact.matrix(DType.BF16, K, N, 7, arena);
    Matrix c = Matrix.allocate(DType.F32, rows, N, arena);
    long[] rowsPerRank = {rows / 2, rows / 5, rows - rows / 2 - rows / 5};
    try (var weights = world.pack(b, WeightLayout.IN_OUT);
        var product = way.on(AllGatherMatmul.on(space).output(weights)).build()) {
      for (int i = 0; i < 3; i++) {
        try (Step step = way.begin(product, rowsPerRank)) {
          way.fill(step, i, world.rank());
          step.run(c);
        }
      }
      Exact.checkProduct(c, 2, 7, K);
    }
  }

  /** All mappings of windows, whose pages are reserved; each rank maps its host's for itself. */
  private static long mappedKib() {
    try {
      long sum = 0;
      boolean isWindow = false;
      for (String line : Files.readAllLines(MAPPINGS)) {
        if (line.matches("^[0-9a-f]+-[0-9a-f]+ .*")) {
          isWindow = line.contains("/" + Window.PREFIX);
        } else if (isWindow && line.startsWith("Size:")) {
          sum += Long.parseLong(line.replaceAll("[^0-9]", ""));
        }
      }
      return sum;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
