// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.gemmflow.failure.DisagreementException;
import io.github.gemmflow.tuning.Pin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Where Linux lets the threads of ranks run, as it says itself. */
class PinTest {
  private static final Path TASKS = Path.of("/proc/self/task");

  private static final String COMPUTE = "gemmflow-\\d-comp";
  private static final long PATIENCE_NANOS = 20_000_000_000L;
  private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

  private String all = "";

  @BeforeEach
  void needsTwoCores() throws IOException {
    assumeTrue(Files.isDirectory(TASKS), "this is not Linux");
    assumeTrue(PROCESSORS > 1, "there is only one core");
    all = allowed(Path.of("/proc/self"));
  }

  private static String allowed(Path task) throws IOException {
    return Files.readAllLines(task.resolve("status")).stream()
        .filter(line -> line.startsWith("Cpus_allowed_list:"))
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .findFirst()
        .orElseThrow();
  }

  /** What each thread may use whose name, of which Linux keeps 15 characters, is like this. */
  private static List<String> cpusOf(String name) throws IOException {
    List<String> found = new ArrayList<>();
    try (Stream<Path> tasks = Files.list(TASKS)) {
      for (Path task : tasks.toList()) {
        cpusOf(task, name).ifPresent(found::add);
      }
    }
    return found;
  }

  private static Optional<String> cpusOf(Path task, String name) throws IOException {
    try {
      return Files.readString(task.resolve("comm")).strip().matches(name)
          ? Optional.of(allowed(task))
          : Optional.empty();
    } catch (IOException e) {
      if (Files.exists(task)) {
        throw e;
      }
      return Optional.empty(); // The thread has ended in the meantime.
    }
  }

  /** Waits, because a thread gets its name and its CPU some time after it was started. */
  private static void await(String wanted, String name, Predicate<List<String>> wish)
      throws IOException {
    long start = System.nanoTime();
    List<String> found = cpusOf(name);
    while (!wish.test(found) && System.nanoTime() - start < PATIENCE_NANOS) {
      Thread.onSpinWait();
      found = cpusOf(name);
    }
    List<String> last = found;
    assertTrue(wish.test(last), () -> name + ": " + wanted + " expected, but was " + last);
  }

  private static void assertOnCpusOfTheirOwn(int threads, String name) throws IOException {
    await(
        "a CPU each for " + threads + " threads",
        name,
        found ->
            found.size() == threads
                && Set.copyOf(found).size() == threads
                && found.stream().allMatch(cpus -> cpus.matches("\\d+")));
  }

  private void assertOneOnAny(String name) throws IOException {
    await("one thread on " + all, name, List.of(all)::equals);
  }

  private static Config config(Pin pin, int threads) {
    return Config.builder().pin(pin).threads(threads).build();
  }

  /** One rank looks while all have their threads. */
  private static void withWorkspaces(int ranks, Config config, World.Program look) {
    CyclicBarrier all = new CyclicBarrier(ranks);
    LocalWorld.of(ranks)
        .config(config)
        .run(
            world -> {
              Workspace space = Workspace.on(world.group()).rows(8).columns(8).open();
              all.await();
              try {
                if (world.rank() == 0) {
                  look.run(world);
                }
              } finally {
                all.await();
              }
              space.close();
            });
  }

  @Test
  void computeThreadsHaveCpusOfTheirOwn() {
    withWorkspaces(
        1,
        config(Pin.CORES, PROCESSORS),
        _ -> {
          assertOnCpusOfTheirOwn(PROCESSORS - 1, COMPUTE);
          // None is left for communication, which may use any.
          assertOneOnAny("gemmflow-comm-0");
        });
  }

  @Test
  void ranksShareTheCoresOfTheirHost() {
    withWorkspaces(2, config(Pin.CORES, 2), _ -> assertOnCpusOfTheirOwn(2, COMPUTE));
  }

  @Test
  void communicationHasTheLastCpu() {
    withWorkspaces(1, config(Pin.CORES, 1), _ -> assertOnCpusOfTheirOwn(1, "gemmflow-comm-0"));
  }

  @Test
  void theCallersThreadIsLeftAlone() {
    withWorkspaces(
        1, config(Pin.CORES, 2), _ -> assertEquals(all, allowed(Path.of("/proc/thread-self"))));
  }

  @Test
  void nobodyIsPinnedUnasked() {
    withWorkspaces(
        1,
        config(Pin.NONE, 2),
        _ -> {
          assertOneOnAny(COMPUTE);
          assertOneOnAny("gemmflow-comm-0");
        });
  }

  @Test
  void allRanksOrNone() {
    DisagreementException thrown =
        assertThrows(
            DisagreementException.class,
            () ->
                LocalWorld.of(2)
                    .config(rank -> config(rank == 0 ? Pin.CORES : Pin.NONE, 1))
                    .run(_ -> {}));
    assertTrue(thrown.toString().contains("gemmflow.pin"), thrown::toString);
  }
}
