// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi.binding;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tables hold what the headers of the installed libraries say, asked with their compilers. */
@Tag("full")
class AbiTest {
  private static final String PROGRAM =
      """
      #include <mpi.h>
      #include <stddef.h>
      #include <stdio.h>
      int main(void) {
        printf("%zu %zu %zu\\n", sizeof(MPI_Comm), sizeof(MPI_Status), offsetof(MPI_Status, MPI_ERROR));
        printf("%ld %d %d %d %d %d\\n", (long) MPI_STATUS_IGNORE, MPI_UNDEFINED, MPI_MAX_ERROR_STRING,
            MPI_MAX_LIBRARY_VERSION_STRING, MPI_ERR_IN_STATUS, MPI_TAG_UB);
        printf("%d %d %d %d\\n", MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE);
        printf("%ld %ld %ld %ld %ld\\n", (long) MPI_COMM_WORLD, (long) MPI_COMM_SELF, (long) MPI_BYTE,
            (long) MPI_REQUEST_NULL, (long) MPI_ERRORS_RETURN);
        return 0;
      }
      """;

  @TempDir private Path directory;

  @Test
  void openMpi() throws Exception {
    // Its handles are addresses that differ from process to process; they are found by name.
    assertEquals(numbers(Abi.OPEN_MPI), ask("mpicc.openmpi").subList(0, 3));
  }

  @Test
  @SuppressWarnings("restricted") // any lookup will do: the handles are constants
  void mpich() throws Exception {
    Abi.Handles handles =
        Abi.MPICH.handles(SymbolLookup.libraryLookup("libc.so.6", Arena.ofAuto()));
    String line =
        "%d %d %d %d %d"
            .formatted(
                handles.commWorld(),
                handles.commSelf(),
                handles.typeByte(),
                handles.requestNull(),
                handles.errorsReturn());
    List<String> said = ask("mpicc.mpich");
    assertEquals(numbers(Abi.MPICH), said.subList(0, 3));
    assertEquals(line, said.get(3));
  }

  private static List<String> numbers(Abi abi) {
    Abi.Numbers n = abi.numbers();
    return List.of(
        "%d %d %d".formatted(abi.handleBytes(), abi.status().bytes(), abi.status().error()),
        "%d %d %d %d %d %d"
            .formatted(
                n.statusIgnore(),
                n.undefined(),
                n.maxErrorString(),
                n.maxLibraryVersionString(),
                n.errInStatus(),
                n.tagUpperBound()),
        "0 1 2 3");
  }

  private List<String> ask(String compiler) throws IOException, InterruptedException {
    Path source = Files.writeString(directory.resolve("abi.c"), PROGRAM);
    Path program = directory.resolve("abi");
    run(List.of(compiler, "-w", "-o", program.toString(), source.toString()));
    return run(List.of(program.toString())).lines().toList();
  }

  private static String run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, process.waitFor(), output);
    return output;
  }
}
