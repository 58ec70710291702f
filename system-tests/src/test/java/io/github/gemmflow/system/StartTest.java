// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.gemmflow.system.ranks.Attaches;
import io.github.gemmflow.system.ranks.BindingAlone;
import io.github.gemmflow.system.ranks.Joins;
import io.github.gemmflow.system.ranks.ShowsCpus;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a person can meet at start, and what it says. */
@Tag("full")
class StartTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @ParameterizedTest
  @EnumSource
  void noLibrary(MpiFamily mpi) {
    Job.Result result =
        job(mpi).java(List.of("-Dgemmflow.mpi.library=/no/such/libmpi.so")).run(Joins.class);
    assertNotEquals(0, result.exitCode());
    assertSays(result, "this process is one of 2");
    assertSays(result, "no MPI library can be loaded. Looked for:");
    assertSays(result, "/no/such/libmpi.so: cannot open shared object file");
    assertSays(result, "Install one (Debian: apt install openmpi-bin, or apt install mpich)");
  }

  @Test
  void noLauncher() {
    Job.Result forced = alone("-Dgemmflow.engine=mpi");
    assertNotEquals(0, forced.exitCode());
    assertSays(forced, "this process was not started by an MPI launcher");
    assertSays(forced, "mpirun -n 4 java");
    Job.Result chosen = alone("-Dgemmflow.idle=balanced");
    assertEquals(0, chosen.exitCode());
    assertSays(chosen, "WARNING: no launcher started this process: it is a world of one rank");
    assertSays(chosen, "rank 0 of 1 has joined");
  }

  /** Plain Java multiplies, and whoever reads the log knows why. */
  @Test
  void noOneDnn() {
    Job.Result result = alone("-Dgemmflow.onednn.library=/no/such/libdnnl.so.3");
    assertEquals(0, result.exitCode(), result.text());
    assertSays(result, "WARNING: products are computed in plain Java, about ten times slower");
    assertSays(result, "If this is intended, set gemmflow.kernel=reference");
  }

  @Test
  void theWrongLauncher() {
    Job.Result result =
        job(MpiFamily.MPICH).java(List.of("-Dgemmflow.mpi.library=libmpi.so.40")).run(Joins.class);
    assertNotEquals(0, result.exitCode());
    assertSays(
        result, "this process loaded libmpi.so.40 (Open MPI), but was started by MPICH's mpirun");
    assertSays(result, "start all ranks with the mpirun of Open MPI");
  }

  /** Rank 1 has the other library. */
  @Test
  void twoLibrariesInOneJob() {
    List<String> command = new ArrayList<>(List.of(MpiFamily.OPENMPI.mpirun()));
    command.addAll(MpiFamily.OPENMPI.options());
    command.addAll(List.of("-n", "1"));
    command.addAll(Job.java(List.of(), Joins.class.getName()));
    command.addAll(List.of(":", "-n", "1"));
    command.addAll(
        Job.java(List.of("-Dgemmflow.mpi.library=libmpich.so.12"), Joins.class.getName()));
    Job.Result result = Job.execute(command, PATIENCE);
    assertNotEquals(0, result.exitCode());
    assertSays(
        result, "this process loaded libmpich.so.12 (MPICH), but was started by Open MPI's mpirun");
    assertSays(result, "let all of them load the library of that launcher");
  }

  @Test
  void boundToOneCore() {
    Job.Result result =
        job(MpiFamily.OPENMPI).launcher(List.of("--bind-to", "core")).run(Joins.class);
    assertEquals(0, result.exitCode(), result.text());
    assertSays(result, "so communication and multiplication take turns");
    assertSays(result, "give the launcher the option --bind-to none");
  }

  @ParameterizedTest
  @EnumSource
  void tooLittleSharedMemory(MpiFamily mpi) {
    List<String> command = job(mpi).command(Joins.class, "100");
    List<String> small = new ArrayList<>(List.of("unshare", "--mount", "sh", "-c"));
    small.add("mount -t tmpfs -o size=64m none /dev/shm && exec \"$@\"");
    small.add("sh");
    small.addAll(command);
    Job.Result result = Job.execute(small, PATIENCE);
    assertNotEquals(0, result.exitCode());
    assertSays(result, "bytes of shared memory in /dev/shm: only");
    assertSays(result, "bytes are free. Make that file system larger (docker: --shm-size;");
  }

  @Test
  void noNativeAccess() {
    List<String> command =
        job(MpiFamily.OPENMPI).java(List.of("--illegal-native-access=deny")).command(Joins.class);
    command.remove("--enable-native-access=ALL-UNNAMED");
    Job.Result result = Job.execute(command, PATIENCE);
    assertNotEquals(0, result.exitCode());
    assertSays(result, "Start it with --enable-native-access=ALL-UNNAMED");
  }

  @ParameterizedTest
  @EnumSource
  void ranksThatCutMessagesDifferently(MpiFamily mpi) {
    List<String> command = job(mpi).command(Joins.class);
    int ranks = command.indexOf("-n") + 1;
    command.set(ranks, "1");
    List<String> other = new ArrayList<>(command.subList(ranks - 1, command.size()));
    other.add(3, "-Dgemmflow.mpi.message.limit=1000");
    command.add(":");
    command.addAll(other);
    Job.Result result = Job.execute(command, PATIENCE);
    assertNotEquals(0, result.exitCode());
    assertSays(result, "the ranks do not agree on gemmflow.mpi.message.limit");
  }

  @ParameterizedTest
  @EnumSource
  void aProgramThatHasInitialisedMpi(MpiFamily mpi) {
    assertPasses(3, job(mpi), Attaches.class, "SERIALIZED");
  }

  @ParameterizedTest
  @EnumSource
  void aProgramThatUsesMpiAlone(MpiFamily mpi) {
    assertPasses(1, new Job(mpi, 3), BindingAlone.class);
  }

  @Test
  void aProgramThatHasInitialisedMpiForOneThread() {
    Job.Result result = job(MpiFamily.OPENMPI).run(Attaches.class, "FUNNELED");
    assertNotEquals(0, result.exitCode());
    assertSays(result, "MPI was initialized for one thread (FUNNELED)");
    assertSays(result, "request MPI_THREAD_MULTIPLE or MPI_THREAD_SERIALIZED from MPI_Init_thread");
  }

  private static void assertPasses(int tests, Job job, Class<?> program, String... arguments) {
    StringWriter said = new StringWriter();
    Tally tally = new Tally(new PrintWriter(said, true));
    tally.count(job, program, arguments);
    assertEquals(tests, tally.passed(), said.toString());
    assertEquals(0, tally.failed(), said.toString());
  }

  /** Ranks that a launcher did not bind may all use the same cores: each pins to its own. */
  @ParameterizedTest
  @EnumSource
  void pinnedRanksShareTheCores(MpiFamily mpi) {
    assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "there is only one core");
    Job.Result result = job(mpi).java(List.of("-Dgemmflow.pin=cores")).run(ShowsCpus.class);
    assertEquals(0, result.exitCode(), result.text());
    Set<String> cpus = new TreeSet<>();
    for (MatchResult found :
        Pattern.compile("CPUs of rank \\d: (\\d+)\\s")
            .matcher(result.text() + "\n")
            .results()
            .toList()) {
      cpus.add(found.group(1));
    }
    assertEquals(2, cpus.size(), result.text());
  }

  private static Job job(MpiFamily mpi) {
    return new Job(mpi, 2).patience(PATIENCE);
  }

  private static Job.Result alone(String option) {
    return Job.execute(Job.java(List.of(option), Joins.class.getName()), PATIENCE);
  }

  private static void assertSays(Job.Result result, String text) {
    assertTrue(result.text().contains(text), () -> "not said: " + text + "\n" + result.text());
  }
}
