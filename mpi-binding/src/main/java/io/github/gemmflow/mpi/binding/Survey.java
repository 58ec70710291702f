// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi.binding;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All MPI libraries that {@link Mpi#load} could take. They are loaded side by side, so a process
 * that has made a survey should not go on to use MPI; nothing is initialised.
 *
 * @param found the one that would be taken, then the others
 * @param missed why the other places have none, in the words of the system's loader
 * @param mismatch why the first does not go with the launcher
 */
public record Survey(List<Found> found, List<String> missed, Optional<Mismatch> mismatch) {
  /**
   * A library.
   *
   * @param name what it is loaded as
   * @param file where it was loaded from
   * @param family {@code Open MPI} or {@code MPICH}
   * @param version what it says of itself, in one line
   * @param standard the version of the MPI standard that it keeps to, such as 3.1
   */
  public record Found(String name, String file, String family, String version, String standard) {}

  /**
   * What a process would find.
   *
   * @param launcher who would start it
   * @throws MpiException if Java does not allow native calls
   */
  public static Survey under(Launcher launcher) {
    return make(Library.forced(), launcher, System.getenv());
  }

  static Survey make(String forced, Launcher launcher, Map<String, String> environment) {
    Libc libc = Library.libc();
    List<Found> found = new ArrayList<>();
    List<String> missed = new ArrayList<>();
    Optional<Mismatch> mismatch = Optional.empty();
    for (String place : Library.places(forced, launcher, environment)) {
      String problem = libc.openAside(place);
      if (!problem.isEmpty()) {
        missed.add(problem);
        continue;
      }
      try {
        Library library = Library.bind(place);
        Found one = describe(library, libc);
        if (found.isEmpty()) {
          mismatch = library.mismatch(launcher, environment);
        }
        if (found.stream().noneMatch(other -> other.file().equals(one.file()))) {
          found.add(one);
        }
      } catch (MpiException e) {
        missed.add(String.valueOf(e.getMessage()));
      }
    }
    return new Survey(List.copyOf(found), List.copyOf(missed), mismatch);
  }

  /** Makes the two calls that the standard allows before MPI is initialised. */
  private static Found describe(Library library, Libc libc) {
    MemorySegment getVersion = library.symbols().findOrThrow("MPI_Get_version");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(library.abi().numbers().maxLibraryVersionString());
      MemorySegment first = arena.allocate(JAVA_INT);
      MemorySegment second = arena.allocate(JAVA_INT);
      int _ =
          (int)
              call(library.symbols().findOrThrow("MPI_Get_library_version"))
                  .invokeExact(text, first);
      int _ = (int) call(getVersion).invokeExact(first, second);
      return new Found(
          library.name(),
          libc.fileOf(getVersion),
          library.abi().family(),
          text.getString(0, UTF_8).lines().limit(1).findFirst().orElse("").strip(),
          first.get(JAVA_INT, 0) + "." + second.get(JAVA_INT, 0));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  @SuppressWarnings("restricted") // the native calls that this module is for
  private static MethodHandle call(MemorySegment function) {
    return Linker.nativeLinker()
        .downcallHandle(function, FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));
  }
}
