// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import io.github.gemmflow.cli.doctor.HostReport;
import io.github.gemmflow.cli.job.ExitCode;
import io.github.gemmflow.cli.job.Subcommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code gemmflow doctor}: what this machine has, and what fixes what is missing. */
@Command(
    name = "doctor",
    header = "Checks this machine, and suggests fixes.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Checks Java, MPI and its launcher, cores and NUMA nodes, shared memory, oneDNN, the networks and all settings."
            + " It changes nothing and starts no ranks. Under a launcher, all ranks check, and each"
            + " host prints the findings of its ranks.%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:no problems", "1:problems found"},
    footer = {
      "%nExamples:",
      "  gemmflow doctor",
      "  mpirun -n 2 gemmflow doctor    # checks the ranks of a job",
    })
final class DoctorCommand extends Subcommand {
  @Option(
      names = "--mpirun",
      defaultValue = "mpirun",
      paramLabel = "PROGRAM",
      description = "MPI launcher to check (default: mpirun)")
  private String mpirun = "mpirun";

  @Option(names = "--json", description = "JSON output, one object per host")
  private boolean json;

  @Override
  public Integer call() {
    // In one piece, so that hosts do not write into each other's lines.
    boolean ready =
        HostReport.make(
            mpirun, diagnosis -> output().say(json ? diagnosis.json() + "\n" : diagnosis.text()));
    return (ready ? ExitCode.GOOD : ExitCode.NO).number();
  }
}
