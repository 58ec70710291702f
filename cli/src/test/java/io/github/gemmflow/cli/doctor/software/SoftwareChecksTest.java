// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.software;

import static io.github.gemmflow.cli.doctor.check.Findings.assertFinding;
import static io.github.gemmflow.cli.doctor.check.Status.OK;
import static io.github.gemmflow.cli.doctor.check.Status.PROBLEM;
import static io.github.gemmflow.cli.doctor.check.Status.WARNING;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.cli.doctor.check.Finding;
import io.github.gemmflow.cli.doctor.check.Machine;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.mpi.binding.Launcher;
import io.github.gemmflow.mpi.binding.Survey;
import io.github.gemmflow.onednn.OneDnnLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks of libraries, launchers and settings that are not at hand. */
class SoftwareChecksTest {
  private static final OneDnnLibrary AVX512 =
      new OneDnnLibrary(
          "3.11.0", "/lib/libdnnl.so.3", "AVX-512", false, List.of(DType.BF16, DType.F16));

  @TempDir private Path root;

  private Machine machine(Map<String, String> environment) {
    return new Machine(environment, Map.of(), root);
  }

  @ParameterizedTest
  @CsvSource({
    "ONEDNN_MAX_CPU_ISA, AVX2, 0, ONEDNN_MAX_CPU_ISA=AVX2 limits it, unset ONEDNN_MAX_CPU_ISA",
    "DNNL_MAX_CPU_ISA, AVX2, 0, DNNL_MAX_CPU_ISA=AVX2 limits it, unset DNNL_MAX_CPU_ISA",
    "OTHER, x, 22, ARCH_REQ_XCOMP_PERM: error 22, Linux 5.16 or newer",
    "OTHER, x, 0, oneDNN uses only AVX-512, -Dgemmflow.onednn.library"
  })
  void amxThatIsNotUsed(String variable, String value, int error, String text, String fix)
      throws IOException {
    cpuHas("fpu amx_bf16 avx512f amx_tile");
    assertFinding(
        WARNING, text, fix, AmxCheck.look(machine(Map.of(variable, value)), AVX512, () -> error));
  }

  @Test
  void amxThatIsNotThere() throws IOException {
    Machine limited = machine(Map.of("ONEDNN_MAX_CPU_ISA", "AVX2"));
    assertFinding(OK, "unknown", "", AmxCheck.look(limited, AVX512, () -> 22));
    cpuHas("fpu avx512f");
    assertFinding(OK, "/proc/cpuinfo lists no AMX", "", AmxCheck.look(limited, AVX512, () -> 22));
  }

  private void cpuHas(String flags) throws IOException {
    Path file = root.resolve("proc/cpuinfo");
    Files.createDirectories(file.getParent());
    Files.writeString(file, "processor\t: 0\nflags\t\t: %s\n".formatted(flags));
  }

  @Test
  void openMp() {
    Map<String, String> both = Map.of("OMP_PLACES", "cores", "OMP_NUM_THREADS", "4", "A", "1");
    assertFinding(
        PROBLEM,
        "OMP_NUM_THREADS=4 OMP_PLACES=cores: the thread",
        "unset OMP_PLACES |",
        OpenMpCheck.look(machine(both), "0-3", "0"));
    assertFinding(OK, "no effect", "", OpenMpCheck.look(machine(both), "0-3", "0-3"));
    assertFinding(OK, "none set", "", OpenMpCheck.look(machine(Map.of()), "0-3", "0-3"));
  }

  @ParameterizedTest
  @CsvSource({
    "GEMMFLOW_THREAD, GEMMFLOW_THREADS",
    "GEMMFLOW_CHUNKROWS, GEMMFLOW_CHUNK_ROWS",
    "GEMMFLOW_MPI_LIB, GEMMFLOW_MPI_LIBRARY"
  })
  void settingsThatDoNotExist(String made, String meant) {
    assertFinding(
        WARNING,
        "unknown setting " + made,
        "%s instead of %s".formatted(meant, made),
        SettingsCheck.look(machine(Map.of(made, "1", "GEMMFLOW_IDLE", "spin")), ""));
  }

  /** Both are said: one is mended, and the other would be next. */
  @Test
  void aBadValueDoesNotHideAMisspeltSetting() {
    Machine machine = machine(Map.of("GEMMFLOW_THREAD", "4", "GEMMFLOW_IDLE", "never"));
    Finding finding = SettingsCheck.look(machine, "GEMMFLOW_IDLE=never: no such thing");
    assertFinding(PROBLEM, "GEMMFLOW_IDLE=never: no such thing", "change or remove it", finding);
    assertFinding(
        PROBLEM,
        "unknown setting GEMMFLOW_THREAD",
        "GEMMFLOW_THREADS instead of GEMMFLOW_THREAD",
        finding);
  }

  @Test
  void settingsThatDo() {
    Machine machine =
        new Machine(Map.of("GEMMFLOW_IDLE", "spin"), Map.of("gemmflow.threads", "4"), root);
    assertFinding(
        OK, "-Dgemmflow.threads=4 GEMMFLOW_IDLE=spin", "", SettingsCheck.look(machine, ""));
  }

  /** A setting that is documented is known here. */
  @Test
  void theGuidesSettings() throws IOException {
    Pattern row = Pattern.compile("(?m)^\\| (`gemmflow\\.[^|]*) \\| `GEMMFLOW");
    TreeSet<String> documented = new TreeSet<>();
    row.matcher(Files.readString(Path.of("../docs/settings.md")))
        .results()
        .map(MatchResult::group)
        .flatMap(text -> Pattern.compile("gemmflow[a-z.]+").matcher(text).results())
        .forEach(name -> documented.add(name.group()));
    assertEquals(documented, new TreeSet<>(SettingsCheck.KNOWN));
  }

  @Test
  void aLauncherThatNobodyKnows() throws IOException {
    Path program = Files.writeString(root.resolve("mpirun"), "#!/bin/sh\necho 7\n");
    assertTrue(program.toFile().setExecutable(true));
    Machine machine = machine(Map.of("PATH", "/nonexistent:" + root));
    Optional<Mpirun> mpirun =
        machine.program("mpirun").map(file -> Mpirun.ask(file, Duration.ofSeconds(30)));
    assertFinding(
        WARNING,
        program + " --version names neither",
        "--mpirun PROGRAM",
        LauncherCheck.inShell(machine, "mpirun", mpirun, Optional.empty()));
  }

  @Test
  void aLauncherThatHangs() throws IOException {
    Path program = Files.writeString(root.resolve("mpirun"), "#!/bin/sh\nexec sleep 1000\n");
    assertTrue(program.toFile().setExecutable(true));
    Mpirun mpirun = Mpirun.ask(program, Duration.ofMillis(100));
    assertEquals(new Mpirun(program, Launcher.NONE, ""), mpirun);
  }

  @Test
  void otherLibraries() {
    Survey.Found mpich = new Survey.Found("libmpi.so.12", "/a", "MPICH", "MPICH\t4.0", "4.0");
    Survey.Found second = new Survey.Found("/b/libmpi.so.12", "/b", "MPICH", "MPICH 3.4", "3.1");
    Survey survey = new Survey(List.of(mpich, second), List.of(), Optional.empty());
    assertEquals(
        "libmpi.so.12 (MPICH 4.0), MPI 4.0, /a; /b/libmpi.so.12 (MPICH 3.4) is also installed",
        MpiCheck.look(machine(Map.of()), survey).text());
  }
}
