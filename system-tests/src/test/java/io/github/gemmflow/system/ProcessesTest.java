// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kit.Pauses;
import io.github.gemmflow.system.ranks.RunsUntilTold;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A share of what {@code system-tests/run} does at any size. */
@Tag("full")
@ExtendWith(Pauses.class)
class ProcessesTest {
  @ParameterizedTest
  @CsvSource({
    "openmpi, 1, 1", "mpich, 1, 1",
    "openmpi, 3, 1", "mpich, 3, 1",
    "openmpi, 4, 2", "mpich, 4, 2",
    "openmpi, 3, 3", "mpich, 3, 3"
  })
  void operators(String mpi, String ranks, String hosts) {
    runShort(mpi, "--ranks", ranks, "--hosts", hosts, "--cases", "5");
  }

  /** MPI carries what passes between hosts through shared memory: messages take microseconds. */
  @ParameterizedTest
  @EnumSource
  void pretendedHosts(MpiFamily mpi) {
    runShort(
        mpi.toString(),
        "--ranks",
        "4",
        "--hosts",
        "2",
        "--pretend",
        "--test",
        "contract,operators",
        "--cases",
        "10");
  }

  /** Blocks travel in many pieces, contiguous and strided ones alike. */
  @ParameterizedTest
  @EnumSource
  void messagesOfAFewBytes(MpiFamily mpi) {
    String limit = "-Dgemmflow.mpi.message.limit=100";
    runShort(mpi.toString(), "--ranks", "4", "--hosts", "2", "--cases", "2", "--java=" + limit);
  }

  /** With {@code -Dgemmflow.ranks=64} as many as a group has at most. */
  @Test
  void manyRanks() {
    String ranks = Integer.toString(Integer.getInteger("gemmflow.ranks", 16));
    runShort("openmpi", "--ranks", ranks, "--hosts", "8", "--test", "many_ranks");
  }

  @ParameterizedTest
  @EnumSource
  void eachRowEntersOnceAndLiesInMemoryOnce(MpiFamily mpi) {
    runShort(mpi.toString(), "--ranks", "4", "--hosts", "2", "--test", "entering");
    runShort(mpi.toString(), "--ranks", "4", "--test", "memory");
  }

  @ParameterizedTest
  @EnumSource
  void nothingLeaks(MpiFamily mpi) {
    runShort(mpi.toString(), "--ranks", "2", "--test", "steps,operators_at_once");
  }

  @ParameterizedTest
  @EnumSource
  void aGoodGuest(MpiFamily mpi) {
    runShort(mpi.toString(), "--ranks", "2", "--test", "guest");
  }

  @ParameterizedTest
  @EnumSource
  void lostRanks(MpiFamily mpi) {
    run("--mpi", mpi.toString(), "--ranks", "3", "--test", "kill,stop", "--trials", "1");
    run("--mpi", mpi.toString(), "--ranks", "4", "--hosts", "2", "--test", "kill", "--trials", "1");
  }

  @ParameterizedTest
  @EnumSource
  void ranksThatFailAnywhere(MpiFamily mpi) {
    run("--mpi", mpi.toString(), "--ranks", "3", "--test", "faults", "--trials", "2");
    run("--mpi", mpi.toString(), "--ranks", "3", "--test", "faults_with_clean_up", "--trials", "1");
  }

  /** In processes that compile little: most are over before more would have paid. */
  private static void runShort(String mpi, String... arguments) {
    List<String> all = new ArrayList<>(List.of("--mpi", mpi, "--java=" + Job.SOON_OVER));
    all.addAll(List.of(arguments));
    run(all.toArray(String[]::new));
  }

  private static void run(String... arguments) {
    StringWriter said = new StringWriter();
    int exitCode = Run.execute(new PrintWriter(said, true), arguments);
    System.out.print(said);
    assertEquals(0, exitCode, () -> String.join(" ", arguments) + "\n" + said);
  }

  /** The step is finished, no new one begins, and MPI ends in good order. */
  @ParameterizedTest
  @EnumSource
  void aJobThatIsToldToEnd(MpiFamily mpi) throws IOException, InterruptedException {
    Process job =
        new ProcessBuilder(new Job(mpi, 2).command(RunsUntilTold.class))
            .redirectErrorStream(true)
            .start();
    StringBuilder said = new StringBuilder();
    int running = 0;
    try (BufferedReader reader = job.inputReader(UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        said.append(line).append('\n');
        running += line.equals("@ok running") ? 1 : 0;
        if (running == 2) {
          // Not the launcher, which would kill them soon after.
          job.descendants().filter(ProcessesTest::isJava).forEach(ProcessHandle::destroy);
          running++;
        }
      }
    }
    assertTrue(job.waitFor(60, TimeUnit.SECONDS), said.toString());
    for (int rank = 0; rank < 2; rank++) {
      String end = "rank %d: this process is shutting down: no new steps can begin".formatted(rank);
      assertTrue(said.indexOf(end) >= 0, said.toString());
    }
    assertTrue(said.indexOf("@failed") < 0, said.toString());
  }

  private static boolean isJava(ProcessHandle process) {
    return process.info().command().filter(command -> command.endsWith("/java")).isPresent();
  }
}
