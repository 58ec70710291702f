// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ObjIntConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a step, a wait and an operator cost. */
class CostTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {"0,0,0;GATHERED", "0,0,1;GATHERED", "0,0,0;STREAMED", "0,0,1;STREAMED"})
  void aStepAllocatesLittle(String placement, Storage storage) {
    checkAllocation(
        placement,
        Tuning.DEFAULT.withStorage(storage).withChunkRows(2),
        (space, weights, c) -> {
          AllGatherMatmul product = AllGatherMatmul.on(space).output(weights).build();
          return new Stepper(product, (rows, steps) -> runSteps(product, rows, c, steps));
        });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {"0,0,0;GATHERED", "0,0,1;GATHERED", "0,0,0;STREAMED", "0,0,1;STREAMED"})
  void aSumAllocatesLittle(String placement, Storage storage) {
    checkAllocation(
        placement,
        Tuning.DEFAULT.withStorage(storage).withChunkRows(2),
        (space, weights, c) -> {
          MatmulReduceScatter sum = MatmulReduceScatter.on(space).weights(weights).build();
          Matrix a = Matrix.allocate(DType.BF16, 60, 16, Arena.ofAuto());
          return new Stepper(sum, (rows, steps) -> runSums(space, sum, rows, a, c, steps));
        });
  }

  /**
   * An operator and what runs some steps of it.
   *
   * @param run with rows that it may change
   */
  private record Stepper(Operator operator, ObjIntConsumer<long[]> run) {}

  /** Makes a {@link Stepper}, whose outputs are in a matrix. */
  private interface Maker {
    Stepper make(Workspace space, PackedWeights weights, Matrix c);
  }

  private static void checkAllocation(String placement, Tuning tuning, Maker maker) {
    int[] hosts = Stream.of(placement.split(",")).mapToInt(Integer::parseInt).toArray();
    int warmUp = 1_000;
    int measured = 500;
    long[] bytes = new long[1];
    CyclicBarrier barrier = new CyclicBarrier(hosts.length);
    LocalWorld.onHosts(hosts)
        .config(Config.builder().threads(2).build())
        .run(
            world -> {
              try (Arena arena = Arena.ofShared();
                  Workspace space =
                      Workspace.on(world.group())
                          .rows(60)
                          .columns(16)
                          .type(DType.BF16)
                          .tuning(tuning)
                          .open()) {
                Matrix c = Matrix.allocate(DType.F32, 60, 80, arena);
                Matrix b = Exact.matrix(DType.BF16, 16, 80, 1, arena);
                try (var weights = world.pack(b, WeightLayout.IN_OUT)) {
                  Stepper stepper = maker.make(space, weights, c);
                  long[] rows = {20, 0, 20};
                  stepper.run.accept(rows, warmUp);
                  barrier.await();
                  long before = world.rank() == 0 ? allocated() : 0;
                  barrier.await();
                  stepper.run.accept(rows, measured);
                  barrier.await();
                  if (world.rank() == 0) {
                    bytes[0] = allocated() - before;
                  }
                  barrier.await();
                  stepper.operator.close();
                }
              }
            });
    long perStep = bytes[0] / measured / hosts.length;
    System.out.printf("CostTest: hosts %s: %d bytes per rank and step%n", placement, perStep);
    assertTrue(perStep <= 1024, () -> perStep + " bytes per rank and step");
  }

  private static void runSums(
      Workspace space, MatmulReduceScatter sum, long[] rows, Matrix a, Matrix c, int steps) {
    int rank = space.group().rank();
    for (int i = 0; i < steps; i++) {
      rows[0] = i % 20 + 1L;
      rows[1] = i % 3;
      sum.run(RowCounts.known(rows), a.rows(0, rows[0] + rows[1] + rows[2]), c.rows(0, rows[rank]));
    }
  }

  /** Row counts that change at every step: nothing that is laid out anew may allocate. */
  private static void runSteps(AllGatherMatmul product, long[] rows, Matrix c, int steps) {
    for (int i = 0; i < steps; i++) {
      rows[0] = i % 20 + 1L;
      rows[1] = i % 3;
      try (Step step = product.begin(RowCounts.known(rows))) {
        step.input().fill(1);
        step.run(c.rows(0, step.rows()));
      }
    }
  }

  /** Bytes that all threads of Gemmflow have allocated. */
  private static long allocated() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("gemmflow-"))
        .mapToLong(thread -> THREADS.getThreadAllocatedBytes(thread.threadId()))
        .sum();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0,0", "0,1"})
  void waitingCostsNoCore(String placement) {
    int[] hosts = Stream.of(placement.split(",")).mapToInt(Integer::parseInt).toArray();
    Duration stall = Duration.ofSeconds(2);
    long[] cpu = new long[1];
    LocalWorld.onHosts(hosts)
        .run(
            world -> {
              try (Workspace space = Workspace.on(world.group()).rows(8).columns(8).open();
                  AllGather gather = AllGather.on(space).build()) {
                for (int i = 0; i < 100; i++) {
                  gatherOnce(gather);
                }
                if (world.rank() == 1) {
                  LockSupport.parkNanos(stall.toNanos());
                  gatherOnce(gather);
                } else {
                  long before = cpuOfRank(0);
                  gatherOnce(gather);
                  cpu[0] = cpuOfRank(0) - before;
                }
              }
            });
    double share = (double) cpu[0] / stall.toNanos();
    System.out.printf(
        "CostTest: hosts %s: %.2f %% of a core while waiting%n", placement, share * 100);
    assertTrue(share < 0.05, () -> "waiting took %.1f %% of a core".formatted(share * 100));
  }

  private static void gatherOnce(AllGather gather) {
    try (Step step = gather.begin(RowCounts.known(4, 4))) {
      step.input().fill(1);
      step.run();
    }
  }

  private static long cpuOfRank(int rank) {
    List<String> names = List.of("gemmflow-rank-" + rank, "gemmflow-comm-" + rank);
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> names.contains(thread.getName()))
        .mapToLong(thread -> THREADS.getThreadCpuTime(thread.threadId()))
        .sum();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void operatorsAddNothing() {
    try (Arena arena = Arena.ofConfined();
        World world = World.single(Config.builder().threads(2).build());
        Workspace space = Workspace.on(world.group()).rows(8).columns(8).open();
        var weights = world.pack(Exact.matrix(DType.F32, 8, 8, 1, arena), WeightLayout.IN_OUT)) {
      List<AllGatherMatmul> operators = new ArrayList<>();
      operators.add(AllGatherMatmul.on(space).output(weights).build());
      List<String> threads = Leftovers.threads();
      long files = openFiles();
      long mappings = Leftovers.mappings();
      for (int i = 0; i < 200; i++) {
        operators.add(AllGatherMatmul.on(space).output(weights).build());
      }
      assertEquals(threads, Leftovers.threads());
      assertEquals(files, openFiles());
      assertEquals(mappings, Leftovers.mappings());
      operators.forEach(AllGatherMatmul::close);
    }
  }

  private static long openFiles() {
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      return files.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
