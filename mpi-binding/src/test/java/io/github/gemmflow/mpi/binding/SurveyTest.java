// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi.binding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** With both families installed. */
@Tag("full")
class SurveyTest {
  @ParameterizedTest
  @CsvSource({
    "NONE, Open MPI, MPICH",
    "SLURM, Open MPI, MPICH",
    "OPEN_MPI, Open MPI, MPICH",
    "HYDRA, MPICH, Open MPI"
  })
  void theLaunchersLibraryComesFirst(Launcher launcher, String first, String second) {
    Survey survey = Survey.make("", launcher, Map.of("PMIX_RANK", "0"));
    assertEquals(
        List.of(first, second), survey.found().stream().map(Survey.Found::family).toList());
    assertEquals(Optional.empty(), survey.mismatch());
    for (Survey.Found found : survey.found()) {
      assertTrue(found.version().contains(found.family()), found::toString);
      assertTrue(Files.isRegularFile(Path.of(found.file())), found::toString);
      assertTrue(found.standard().matches("[345]\\.\\d"), found::toString);
    }
  }

  /** It agrees with what is loaded in earnest. */
  @Test
  void aMismatchIsFoundAsWhenLoading() {
    Survey survey = Survey.make("libmpi.so.40", Launcher.HYDRA, Map.of());
    assertEquals(1, survey.found().size());
    assertEquals(
        "this process loaded libmpi.so.40 (Open MPI), but was started by MPICH's mpirun, so it cannot connect to the other ranks",
        survey.mismatch().orElseThrow().what());
  }

  /** Clusters have an MPI beside its launcher; here it is one that the loader knows already. */
  @Test
  void oneFileCountsOnce(@TempDir Path directory) throws IOException {
    Path programs = Files.createDirectory(directory.resolve("bin"));
    Path mpirun = Files.createFile(programs.resolve("mpirun"));
    assertTrue(mpirun.toFile().setExecutable(true));
    Path libraries = Files.createDirectory(directory.resolve("lib"));
    String file = Survey.make("libmpi.so.40", Launcher.NONE, Map.of()).found().getFirst().file();
    Path link = Files.createSymbolicLink(libraries.resolve("libmpi.so.40"), Path.of(file));
    Survey survey = Survey.make("", Launcher.NONE, Map.of("PATH", programs.toString()));
    Files.delete(link);
    assertEquals(2, survey.found().size(), survey::toString);
  }

  @Test
  void whatCannotBeLoadedSaysWhy() {
    Survey missing = Survey.make("/no/such/libmpi.so", Launcher.NONE, Map.of());
    assertEquals(List.of(), missing.found());
    assertEquals(
        List.of("/no/such/libmpi.so: cannot open shared object file: No such file or directory"),
        missing.missed());
    assertEquals(
        List.of("libc.so.6 is not an MPI library: it has no MPI_Init_thread"),
        Survey.make("libc.so.6", Launcher.NONE, Map.of()).missed());
  }

  @ParameterizedTest
  @CsvSource({
    "mpirun (Open MPI) 4.1.4, OPEN_MPI",
    "mpirun.openmpi (OpenRTE) 4.1.4, OPEN_MPI",
    "HYDRA build details:, HYDRA",
    "'Intel(R) MPI Library for Linux* OS, Version 2021.6', HYDRA",
    "slurm-wlm 22.05.8, SLURM",
    "GNU bash, NONE"
  })
  void launchersAreKnownByWhatTheySay(String version, Launcher launcher) {
    assertEquals(launcher, Launcher.ofVersion(version));
  }
}
