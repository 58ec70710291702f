// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.software;

import io.github.gemmflow.cli.doctor.check.Finding;
import io.github.gemmflow.cli.doctor.check.Machine;
import io.github.gemmflow.mpi.binding.Launcher;
import io.github.gemmflow.mpi.binding.Survey;
import io.github.gemmflow.mpi.binding.Survey.Found;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Check of the MPI library that ranks load. */
public final class MpiCheck {
  public static final String NAME = "MPI library";

  static final String PROPERTY = "gemmflow.mpi.library";
  private static final String NOT_THERE = ": cannot open shared object file: No such file";

  private MpiCheck() {}

  public static Finding look(Machine machine, Survey survey) {
    Optional<Machine.Setting> named = machine.setting(PROPERTY);
    if (survey.found().isEmpty()) {
      return missing(named, survey.missed());
    }
    Found first = survey.found().getFirst();
    StringBuilder text = new StringBuilder(describe(first));
    text.append(", MPI %s, %s".formatted(first.standard(), first.file()));
    named.ifPresent(
        setting ->
            text.append("; named by %s, so no other is searched for".formatted(setting.source())));
    for (Found other : survey.found().subList(1, survey.found().size())) {
      text.append("; %s is also installed".formatted(describe(other)));
      if (!other.family().equals(first.family())) {
        text.append(": ranks that %s starts load it".formatted(launcher(other.family())));
      }
    }
    return Finding.ok(NAME, text.toString());
  }

  /** What a library is loaded as, and what it says of itself, without the small print. */
  static String describe(Found found) {
    String version = found.version().replaceAll("\\s+", " ");
    int comma = version.indexOf(',');
    return "%s (%s)".formatted(found.name(), comma < 0 ? version : version.substring(0, comma));
  }

  private static Launcher launcher(String family) {
    return family.equals("Open MPI") ? Launcher.OPEN_MPI : Launcher.HYDRA;
  }

  private static Finding missing(Optional<Machine.Setting> named, List<String> missed) {
    // Where there is nothing, its name is enough; of what is there, why it cannot be loaded.
    String reasons =
        missed.stream()
            .filter(why -> missed.size() == 1 || !(why.startsWith("/") && why.contains(NOT_THERE)))
            .map(why -> why.contains(NOT_THERE) ? why.substring(0, why.indexOf(NOT_THERE)) : why)
            .collect(Collectors.joining("; "));
    String text = "no MPI library can be loaded. Tried: " + reasons;
    return named.isPresent()
        ? Finding.problem(NAME, text, named.get().undo() + ", so that others are searched for")
        : Finding.problem(
            NAME,
            text,
            "apt install openmpi-bin",
            "apt install mpich",
            "put its directory on LD_LIBRARY_PATH",
            "name it with -D%s=/path/to/libmpi.so".formatted(PROPERTY));
  }
}
