// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.software;

import io.github.gemmflow.cli.doctor.check.Finding;
import io.github.gemmflow.cli.doctor.check.Machine;
import io.github.gemmflow.measure.Counted;
import io.github.gemmflow.mpi.binding.Launcher;
import io.github.gemmflow.mpi.binding.Mismatch;
import io.github.gemmflow.mpi.binding.Survey;
import java.util.Optional;

/** Check that what starts ranks and the library that they load belong together. */
public final class LauncherCheck {
  public static final String NAME = "Launcher";

  private LauncherCheck() {}

  /** In a job, where a launcher started this process. */
  public static Finding inJob(Machine machine, Launcher launcher, Optional<Survey> survey) {
    Optional<Mismatch> mismatch = survey.flatMap(Survey::mismatch);
    return mismatch.isPresent()
        ? mismatched(machine, mismatch.get().what(), mismatch.get().fix())
        : Finding.ok(
            NAME,
            "%s started this process, in a job of %s"
                .formatted(launcher, Counted.of(launcher.tasks(), "rank")));
  }

  /**
   * Outside of jobs.
   *
   * @param name what the launcher is to be called
   * @param mpirun the launcher, if there is one of that name
   */
  public static Finding inShell(
      Machine machine, String name, Optional<Mpirun> mpirun, Optional<Survey> survey) {
    if (mpirun.isEmpty()) {
      return missing(machine, name);
    }
    Mpirun program = mpirun.get();
    if (program.launcher() == Launcher.NONE) {
      return Finding.warning(
          NAME,
          "%s --version names neither Open MPI nor MPICH".formatted(program.file()),
          "name another with --mpirun PROGRAM");
    }
    String text =
        "%s is %s %s".formatted(program.file(), program.launcher(), program.version()).strip();
    if (survey.isEmpty() || survey.get().found().isEmpty()) {
      return Finding.ok(NAME, text);
    }
    Survey.Found library = survey.get().found().getFirst();
    if (survey.get().mismatch().isEmpty()) {
      return Finding.ok(NAME, "%s; it matches %s".formatted(text, library.name()));
    }
    return mismatched(
        machine,
        "%s, but ranks would load %s, which belongs to %s: each rank would start as a world of one"
            .formatted(text, library.name(), library.family()),
        "name the mpirun of %s with --mpirun PROGRAM (Debian: mpirun.%s)"
            .formatted(
                library.family(), library.family().equals("Open MPI") ? "openmpi" : "mpich"));
  }

  private static Finding mismatched(Machine machine, String text, String fix) {
    return machine
        .setting(MpiCheck.PROPERTY)
        .map(
            named ->
                Finding.problem(
                    NAME, text, named.undo() + ", so that the launcher's library is found", fix))
        .orElseGet(() -> Finding.problem(NAME, text, fix));
  }

  private static Finding missing(Machine machine, String name) {
    Optional<String> srun = machine.program("srun").map(Object::toString);
    if (srun.isPresent()) {
      return Finding.ok(NAME, "%s; no %s".formatted(srun.get(), name));
    }
    return Finding.problem(
        NAME,
        "%s, which starts ranks as processes, is not on the PATH".formatted(name),
        "apt install openmpi-bin",
        "apt install mpich",
        "name another with --mpirun PROGRAM",
        "run ranks as threads: gemmflow bench --engine local");
  }
}
