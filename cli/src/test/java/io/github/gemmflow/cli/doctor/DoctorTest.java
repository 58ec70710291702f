// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor;

import static io.github.gemmflow.cli.doctor.check.Status.OK;
import static io.github.gemmflow.cli.doctor.check.Status.PROBLEM;
import static io.github.gemmflow.cli.doctor.check.Status.WARNING;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.gemmflow.cli.doctor.Visit.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The real command in surroundings that are really broken. Needs root, and both MPIs. */
@Tag("full")
class DoctorTest {
  private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

  /** Puts something that is no library in the place of every MPI library. */
  private static final String NO_MPI =
      """
      /sbin/ldconfig -p | sed -nE 's/.*(libmpi|libmpich)\\.so\\.[0-9]+ .*=> //p' | while read -r f; do
        mount --bind /dev/null "$(readlink -f "$f")"
      done""";

  @Test
  void noMpi() throws Exception {
    new Visit()
        .after(NO_MPI)
        .run()
        .exits(1)
        .says(PROBLEM, "MPI library", "no MPI library can be loaded", "file too short")
        .says(PROBLEM, "MPI library", "fix: apt install openmpi-bin or: apt install mpich");
  }

  @Test
  void aLibraryThatIsNotThere() throws Exception {
    new Visit()
        .with("GEMMFLOW_MPI_LIBRARY", "/no/such/libmpi.so")
        .run()
        .exits(1)
        .says(PROBLEM, "MPI library", "Tried: /no/such/libmpi.so")
        .says(PROBLEM, "MPI library", "fix: unset GEMMFLOW_MPI_LIBRARY");
  }

  @Test
  void noLauncher() throws Exception {
    new Visit()
        .with("PATH", "/nonexistent")
        .run()
        .exits(1)
        .says(OK, "MPI library")
        .says(PROBLEM, "Launcher", "mpirun, which starts ranks as processes, is not on the PATH")
        .says(PROBLEM, "Launcher", "fix: apt install openmpi-bin", "--mpirun PROGRAM");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          mpirun.mpich   | libmpi.so.40   | Open MPI | MPICH's mpirun
          mpirun.openmpi | libmpich.so.12 | MPICH    | Open MPI's mpirun
          """)
  void bothMpisMixed(String mpirun, String library, String family, String title) throws Exception {
    new Visit()
        .with("GEMMFLOW_MPI_LIBRARY", library)
        .run("--mpirun", mpirun)
        .exits(1)
        .says(PROBLEM, "Launcher", "/%s is %s ".formatted(mpirun, title))
        .says(PROBLEM, "Launcher", "would load %s, which belongs to %s".formatted(library, family))
        .says(PROBLEM, "Launcher", "fix: unset GEMMFLOW_MPI_LIBRARY");
    new Visit()
        .under(mpirun, "-n", "1")
        .with("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .with("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .with("GEMMFLOW_MPI_LIBRARY", library)
        .run()
        .exits(1)
        .says(PROBLEM, "Launcher", "loaded %s (%s), but was started by".formatted(library, family))
        .says(PROBLEM, "Launcher", title + ", so it cannot connect to the other ranks")
        .says(PROBLEM, "Launcher", "fix: unset GEMMFLOW_MPI_LIBRARY")
        .says(PROBLEM, "Launcher", "start all ranks with the mpirun of " + family);
  }

  /** Where both are installed each launcher gets its own. */
  @ParameterizedTest
  @CsvSource({"mpirun.mpich, libmpich.so.12", "mpirun.openmpi, libmpi.so.40"})
  void inAJob(String mpirun, String library) throws Exception {
    new Visit()
        .under(mpirun, "-n", "1")
        .with("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .with("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .run()
        .says(OK, "MPI library", "MPI library " + library)
        .says(OK, "Launcher", "mpirun started this process, in a job of 1 rank");
  }

  @Test
  void boundToOneCore() throws Exception {
    assumeTrue(PROCESSORS > 1, "there is only one core");
    new Visit()
        .under("taskset", "-c", "0")
        .run()
        .exits(1)
        .says(PROBLEM, "Cores", "this process is bound to core 0, one of ")
        .says(PROBLEM, "Cores", "fix: start it without taskset");
    new Visit()
        .under("mpirun.openmpi", "-n", "1", "--bind-to", "core", "--allow-run-as-root")
        .run()
        .exits(1)
        .says(PROBLEM, "Cores", "this process is bound to core ")
        .says(PROBLEM, "Cores", "fix: give the launcher the option --bind-to none");
  }

  @Test
  void boundByOpenMp() throws Exception {
    assumeTrue(PROCESSORS > 1, "there is only one core");
    new Visit()
        .with("OMP_PROC_BIND", "true")
        .run()
        .exits(1)
        .says(OK, "Cores")
        .says(PROBLEM, "OpenMP", "OMP_PROC_BIND=true: the thread that loads oneDNN")
        .says(PROBLEM, "OpenMP", "fix: unset OMP_PROC_BIND");
    new Visit().with("OMP_NUM_THREADS", "7").run().says(OK, "OpenMP", "OMP_NUM_THREADS=7");
  }

  @Test
  void littleSharedMemory() throws Exception {
    new Visit()
        .after("mount -t tmpfs -o size=16m none /dev/shm")
        .run()
        .exits(0)
        .says(WARNING, "Shared memory", "/dev/shm (tmpfs) has 16 of 16 MiB free")
        .says(WARNING, "Shared memory", "fix: mount -o remount,size=1g /dev/shm")
        .says(WARNING, "Shared memory", "docker: --shm-size=1g; Kubernetes: an emptyDir");
  }

  @Test
  void noSharedMemory() throws Exception {
    new Visit()
        .after("mount -t tmpfs -o ro none /dev/shm")
        .run()
        .exits(1)
        .says(PROBLEM, "Shared memory", "/dev/shm cannot be written to", "Read-only file system")
        .says(PROBLEM, "Shared memory", "-Dgemmflow.window.directory=/path");
    new Visit()
        .java("-Dgemmflow.window.directory=/no/such")
        .run()
        .exits(1)
        .says(PROBLEM, "Shared memory", "/no/such does not exist", "fix: mount -t tmpfs");
  }

  @Test
  void noOneDnn() throws Exception {
    new Visit()
        .without("dnnl-")
        .run()
        .exits(1)
        .says(PROBLEM, "oneDNN", "oneDNN is not on the class path", "computed in plain Java")
        .says(PROBLEM, "oneDNN", "fix: Add the artifact org.bytedeco:dnnl");
    new Visit()
        .java("-Dgemmflow.onednn.library=/no/such/libdnnl.so.3")
        .run()
        .exits(1)
        .says(PROBLEM, "oneDNN", "oneDNN cannot be loaded from /no/such/libdnnl.so.3")
        .says(PROBLEM, "oneDNN", "fix: remove -Dgemmflow.onednn.library=/no/such/libdnnl");
  }

  @Test
  void amxMasked() throws Exception {
    Outcome outcome = new Visit().with("ONEDNN_MAX_CPU_ISA", "AVX512_CORE").run().exits(0);
    outcome.says(
        OK,
        "oneDNN",
        "AVX-512 without VNNI (without instructions for BF16, F16, I8: converted to F32)");
    if (Files.readString(Path.of("/proc/cpuinfo")).contains(" amx_bf16")) {
      outcome
          .says(WARNING, "AMX", "this CPU has it, but oneDNN uses only AVX-512")
          .says(WARNING, "AMX", "ONEDNN_MAX_CPU_ISA=AVX512_CORE limits it")
          .says(WARNING, "AMX", "fix: unset ONEDNN_MAX_CPU_ISA");
    } else {
      outcome.says(OK, "AMX", "not available: /proc/cpuinfo lists no AMX");
    }
  }

  @Test
  void nativeCallsThatAreRefused() throws Exception {
    String fix = "--enable-native-access=ALL-UNNAMED";
    new Visit()
        .withoutNativeAccess()
        .run()
        .exits(1)
        .says(WARNING, "Java", "native calls are not allowed", "fix: start Java with " + fix)
        .says(PROBLEM, "MPI library", fix)
        .says(PROBLEM, "oneDNN", fix);
  }

  @Test
  void aValueThatCannotBe() throws Exception {
    new Visit()
        .with("GEMMFLOW_THREADS", "many")
        .run()
        .exits(1)
        .says(PROBLEM, "Settings", "GEMMFLOW_THREADS=many: expected a whole number", "fix: ");
  }
}
