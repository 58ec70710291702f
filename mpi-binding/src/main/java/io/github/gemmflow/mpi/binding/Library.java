// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi.binding;

import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * MPI library of this process, found and loaded.
 *
 * @param name what it was found as
 */
record Library(String name, SymbolLookup symbols, Abi abi) {
  /** Names the library, by path or as the system's loader knows it. */
  static final String PROPERTY = "gemmflow.mpi.library";

  /** The same for launchers, which forward the environment; the property wins. */
  static final String VARIABLE = "GEMMFLOW_MPI_LIBRARY";

  /** Bytes of the largest messages that need no handshake: chunks of 1 MiB, and their headers. */
  private static final String WITHOUT_HANDSHAKE = Integer.toString((1 << 20) + (64 << 10));

  private static final String OPEN_MPI = "libmpi.so.40";

  /** What MPICH and those that are compatible with it are called; the second is Debian's. */
  private static final List<String> MPICH = List.of("libmpi.so.12", "libmpich.so.12");

  /**
   * Loads the library that was asked for, or the first that is there, beginning with those that
   * belong to the launcher.
   *
   * @param forced a name or path; empty for a search
   * @throws MpiException with every place that was looked in and what to do, if there is none
   */
  static Library load(String forced, Map<String, String> environment) {
    Libc libc = libc();
    Launcher launcher = Launcher.of(environment);
    List<String> looked = new ArrayList<>();
    for (String place : places(forced, launcher, environment)) {
      String problem = libc.open(place);
      if (problem.isEmpty()) {
        Library library = bind(place);
        Optional<Mismatch> mismatch = library.mismatch(launcher, environment);
        if (mismatch.isPresent()) {
          throw new MpiException(mismatch.get().toString());
        }
        return library;
      }
      looked.add(problem);
    }
    throw new MpiException(
        """
        no MPI library can be loaded. Looked for:
          %s
        Install one (Debian: apt install openmpi-bin, or apt install mpich), put its directory on LD_LIBRARY_PATH, or name it with -D%s=/path/to/libmpi.so"""
            .formatted(String.join("\n  ", looked), PROPERTY));
  }

  /** What this process was told to load; empty if it was told nothing. */
  static String forced() {
    return System.getProperty(PROPERTY, System.getenv().getOrDefault(VARIABLE, ""));
  }

  /** The C library, in which all is set for MPI libraries to be loaded. */
  static Libc libc() {
    Libc libc;
    try {
      libc = new Libc();
    } catch (IllegalCallerException e) {
      throw new MpiException(
          "Java does not allow native calls here (%s). Start it with --enable-native-access=%s"
              .formatted(e.getMessage(), moduleName()));
    }
    // UCX would take SIGSEGV for itself, which the JVM needs for its null checks.
    libc.setenv("UCX_ERROR_SIGNALS", "");
    // Over TCP the answer of a handshake stands in line behind all that travels the other way.
    libc.setenvUnlessSet("UCX_RNDV_THRESH", WITHOUT_HANDSHAKE);
    libc.setenvUnlessSet("OMPI_MCA_btl_tcp_eager_limit", WITHOUT_HANDSHAKE);
    libc.setenvUnlessSet("OMPI_MCA_btl_tcp_max_send_size", WITHOUT_HANDSHAKE);
    return libc;
  }

  private static String moduleName() {
    String name = Library.class.getModule().getName();
    return name == null ? "ALL-UNNAMED" : name;
  }

  /** Where a library is looked for, best first. */
  static List<String> places(String forced, Launcher launcher, Map<String, String> environment) {
    if (!forced.isEmpty()) {
      return List.of(forced);
    }
    Set<String> names = new LinkedHashSet<>();
    if (launcher.serves(Abi.OPEN_MPI)) {
      names.add(OPEN_MPI);
    }
    names.addAll(MPICH);
    names.add(OPEN_MPI);
    Set<String> places = new LinkedHashSet<>(names);
    for (Path directory : besideLaunchers(environment.getOrDefault("PATH", ""))) {
      names.forEach(name -> places.add(directory.resolve(name).toString()));
    }
    return List.copyOf(places);
  }

  /** Clusters often put an MPI's programs on the path, and leave its libraries beside them. */
  private static Set<Path> besideLaunchers(String path) {
    Set<Path> found = new LinkedHashSet<>();
    for (String entry : path.split(":", -1)) {
      Path programs = Path.of(entry);
      if (programs.isAbsolute() && Files.isExecutable(programs.resolve("mpirun"))) {
        for (String lib : List.of("lib", "lib64")) {
          Path directory = programs.resolveSibling(lib);
          if (Files.isDirectory(directory)) {
            found.add(directory);
          }
        }
      }
    }
    return found;
  }

  @SuppressWarnings("restricted") // the native library that this module is for
  static Library bind(String place) {
    SymbolLookup symbols = SymbolLookup.libraryLookup(place, Arena.global());
    return new Library(place, symbols, Abi.of(symbols, place));
  }

  /** Why processes that this launcher starts would not find each other with this library. */
  Optional<Mismatch> mismatch(Launcher launcher, Map<String, String> environment) {
    // Under another family's launcher every process would believe to be alone.
    if (!launcher.serves(abi)) {
      return Optional.of(
          new Mismatch(
              "this process loaded %s (%s), but was started by %s, so it cannot connect to the other ranks"
                  .formatted(name, abi.family(), launcher),
              "start all ranks with the mpirun of %s, or let all of them load the library of that launcher (-D%s)"
                  .formatted(abi.family(), PROPERTY)));
    }
    // Open MPI ends the process, without a word on srun's part in it, if there is no PMIx server.
    if (launcher == Launcher.SLURM
        && abi == Abi.OPEN_MPI
        && !environment.containsKey("PMIX_RANK")) {
      return Optional.of(
          new Mismatch(
              "srun started this process without PMIx, which %s (Open MPI) needs to connect to the other ranks"
                  .formatted(name),
              "use srun --mpi=pmix; for MPICH, srun --mpi=pmi2. srun --mpi=list shows the available plugins"));
    }
    return Optional.empty();
  }
}
