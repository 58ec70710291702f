// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi.binding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("full")
class LibraryTest {
  @Test
  void aLibraryThatIsNotThereIsNamedWithWhatToDo() {
    String message = load("/no/such/libmpi.so", Map.of());
    assertTrue(message.contains("/no/such/libmpi.so: cannot open shared object file"), message);
    assertTrue(message.contains("apt install openmpi-bin"), message);
    assertTrue(message.contains("-Dgemmflow.mpi.library="), message);
  }

  @Test
  void anotherLibraryIsNotMpi() {
    assertEquals(
        "libc.so.6 is not an MPI library: it has no MPI_Init_thread", load("libc.so.6", Map.of()));
  }

  @Test
  void theLauncherMustBeOfTheSameFamily() {
    String message = load("libmpi.so.40", Map.of("PMI_SIZE", "4"));
    assertTrue(
        message.startsWith(
            "this process loaded libmpi.so.40 (Open MPI), but was started by MPICH's mpirun"),
        message);
    assertTrue(message.contains("start all ranks with the mpirun of Open MPI"), message);
  }

  @Test
  void srunMustOfferWhatTheLibraryNeeds() {
    String message = load("libmpi.so.40", Map.of("SLURM_STEP_NUM_TASKS", "4"));
    assertTrue(message.startsWith("srun started this process without PMIx"), message);
    assertTrue(message.contains("use srun --mpi=pmix; for MPICH, srun --mpi=pmi2"), message);
    Map<String, String> offered = Map.of("SLURM_STEP_NUM_TASKS", "4", "PMIX_RANK", "0");
    assertEquals(Abi.OPEN_MPI, Library.load("libmpi.so.40", offered).abi());
  }

  @Test
  void withoutAWishTheLaunchersLibraryIsFound() {
    Library library = Library.load("", Map.of("OMPI_COMM_WORLD_SIZE", "2"));
    assertEquals(Abi.OPEN_MPI, library.abi());
    assertEquals("libmpi.so.40", library.name());
  }

  @Test
  void launchersAreKnownByTheirVariables() {
    assertEquals(Launcher.NONE, Launcher.of(Map.of()));
    assertEquals(
        Launcher.OPEN_MPI,
        Launcher.of(Map.of("OMPI_COMM_WORLD_SIZE", "2", "SLURM_STEP_NUM_TASKS", "1")));
    assertEquals(Launcher.HYDRA, Launcher.of(Map.of("PMI_SIZE", "2", "SLURM_STEP_NUM_TASKS", "2")));
    assertEquals(Launcher.SLURM, Launcher.of(Map.of("SLURM_STEP_NUM_TASKS", "2")));
    Launcher pmi2 =
        Launcher.of(Map.of("PMI_SIZE", "2", "SLURM_STEP_NUM_TASKS", "2", "SLURM_MPI_TYPE", "pmi2"));
    assertEquals(Launcher.SLURM_PMI2, pmi2);
    assertEquals("-c 2 (cores for each task)", pmi2.unbind());
    assertEquals("-c 2 (cores for each task)", Launcher.SLURM.unbind());
  }

  private static String load(String library, Map<String, String> environment) {
    MpiException e = assertThrows(MpiException.class, () -> Library.load(library, environment));
    return String.valueOf(e.getMessage());
  }

  /** What the environment says already stays as it is. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "OMPI_MCA_btl_tcp_eager_limit",
        "OMPI_MCA_btl_tcp_max_send_size",
        "UCX_RNDV_THRESH"
      })
  void messagesOfAMebibyteNeedNoHandshake(String variable) throws Throwable {
    Library.libc();
    assertEquals(System.getenv().getOrDefault(variable, "1114112"), nativeVariable(variable));
  }

  /** As the C library has it now: Java's own view is that of the start. */
  @SuppressWarnings("restricted") // there is no other way to see it
  private static String nativeVariable(String name) throws Throwable {
    Linker linker = Linker.nativeLinker();
    MethodHandle getenv =
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("getenv"),
            FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = (MemorySegment) getenv.invokeExact(arena.allocateFrom(name));
      return value.equals(MemorySegment.NULL) ? "" : value.reinterpret(100).getString(0);
    }
  }
}
