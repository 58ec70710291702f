// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import io.github.gemmflow.cli.doctor.Diagnosis;
import io.github.gemmflow.cli.doctor.Doctor;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code gemmflow doctor}: what this machine has, and what fixes what is missing. */
@Command(
    name = "doctor",
    header = "Finds what this machine lacks, and suggests fixes.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Looks at Java, MPI and its launcher, cores and NUMA nodes, shared memory, oneDNN, the networks and all settings."
            + " It changes nothing and starts no ranks. Under a launcher each rank looks at its own"
            + " host.%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:there is no problem", "1:there is one"},
    footer = {
      "%nExamples:",
      "  gemmflow doctor",
      "  mpirun -n 1 gemmflow doctor    # what a rank of a job meets",
    })
final class DoctorCommand implements Callable<Integer> {
  @ParentCommand private Gemmflow parent = new Gemmflow();

  @Option(
      names = "--mpirun",
      defaultValue = "mpirun",
      paramLabel = "PROGRAM",
      description = "what is to start ranks as processes (default: mpirun)")
  private String mpirun = "mpirun";

  @Option(names = "--json", description = "prints the same for programs")
  private boolean json;

  @Override
  public Integer call() {
    Diagnosis diagnosis = Doctor.examine(mpirun);
    // In one piece, so that ranks do not write into each other's lines.
    parent.output().say(json ? diagnosis.json() + "\n" : diagnosis.text());
    return (diagnosis.isReady() ? ExitCode.GOOD : ExitCode.NO).number();
  }
}
