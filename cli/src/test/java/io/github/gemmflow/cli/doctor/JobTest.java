// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor;

import static io.github.gemmflow.cli.doctor.check.Status.OK;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.cli.doctor.Visit.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The real command as the ranks of a job: one summary for each host. Needs both MPIs. */
@Tag("full")
class JobTest {
  private static final String RANK = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}";

  private static Visit job(String mpirun, int ranks) {
    Visit visit = new Visit().under(mpirun, "-n", "" + ranks);
    return mpirun.endsWith("openmpi")
        ? visit.under("--allow-run-as-root", "--oversubscribe", "--bind-to", "none")
        : visit;
  }

  private static List<String> titles(Outcome outcome) {
    return outcome.text().lines().filter(line -> line.startsWith("gemmflow ")).toList();
  }

  private static void assertNothingLeft() throws IOException {
    try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      assertEquals(
          List.of(),
          files
              .filter(file -> file.getFileName().toString().startsWith("gemmflow-doctor-"))
              .toList());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mpirun.openmpi", "mpirun.mpich"})
  void whatAllFoundIsSaidOnce(String mpirun) throws Exception {
    Outcome outcome = job(mpirun, 4).run().exits(0);
    assertEquals(1, titles(outcome).size(), outcome::text);
    assertTrue(titles(outcome).getFirst().endsWith(" (ranks 0-3 of 4)"), outcome::text);
    outcome.says(OK, "Launcher", "in a job of 4 ranks");
    for (String name : List.of("System", "Java", "MPI library", "Cores", "Shared memory")) {
      assertEquals(1, outcome.findings(name).size(), outcome::text);
    }
    assertNothingLeft();
  }

  /** Launchers end a job whose rank ends with an error: not before all is printed. */
  @ParameterizedTest
  @ValueSource(strings = {"mpirun.openmpi", "mpirun.mpich"})
  void whatOneFoundIsSaidWithItsNumber(String mpirun) throws Exception {
    String script = "test %s != 2 || export GEMMFLOW_THREADS=many; \"$@\"".formatted(RANK);
    Outcome outcome = job(mpirun, 3).under("sh", "-c", script, "sh").run();
    assertEquals(1, titles(outcome).size(), outcome::text);
    List<String> settings = outcome.findings("Settings");
    assertEquals(2, settings.size(), outcome::text);
    assertEquals("ok Settings ranks 0-1: none: all defaults", settings.getFirst());
    assertTrue(
        settings.getLast().startsWith("problem Settings rank 2: GEMMFLOW_THREADS=many: expected"),
        outcome::text);
    assertTrue(outcome.text().contains("1 problem"), outcome::text);
    assertTrue(outcome.exitCode() != 0, outcome::text);
    assertNothingLeft();
  }

  @Test
  void forPrograms() throws Exception {
    String json = job("mpirun.openmpi", 2).run("--json").exits(0).text();
    assertTrue(json.contains("(ranks 0-1 of 2)\", \"ready\": true"), json);
  }
}
