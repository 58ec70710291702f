// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi.binding;

import java.util.Map;

/** Launcher of this process, recognised by the environment that it left. */
public enum Launcher {
  /** Open MPI's mpirun. */
  OPEN_MPI("Open MPI's mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "--bind-to none"),

  /** Slurm's srun with {@code --mpi=pmi2}, which leaves what MPICH's mpirun leaves, and more. */
  SLURM_PMI2("srun --mpi=pmi2", "PMI_SIZE", "PMI_RANK", Launcher.MORE_CORES),

  /** The mpirun of MPICH, Intel MPI and MVAPICH. */
  HYDRA("MPICH's mpirun", "PMI_SIZE", "PMI_RANK", "-bind-to none"),

  /** Slurm's srun. */
  SLURM("srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", Launcher.MORE_CORES),

  /** Nobody that is known here. */
  NONE("no launcher", "", "", "");

  /** With task/affinity, a task that was given one core has no other, bound or not. */
  private static final String MORE_CORES = "-c 2 (cores for each task)";

  private final String title;
  private final String tasksVariable;
  private final String rankVariable;
  private final String unbind;

  Launcher(String title, String tasksVariable, String rankVariable, String unbind) {
    this.title = title;
    this.tasksVariable = tasksVariable;
    this.rankVariable = rankVariable;
    this.unbind = unbind;
  }

  /** The launcher of this process. */
  public static Launcher current() {
    return of(System.getenv());
  }

  /**
   * The launcher that a program is.
   *
   * @param text what it prints when it is asked for its version
   * @return {@link #NONE} if it is not known here
   */
  public static Launcher ofVersion(String text) {
    if (text.contains("Open MPI") || text.contains("OpenRTE")) {
      return OPEN_MPI;
    }
    if (text.contains("HYDRA") || text.contains("Intel(R) MPI") || text.contains("MVAPICH")) {
      return HYDRA;
    }
    return text.startsWith("slurm") ? SLURM : NONE;
  }

  static Launcher of(Map<String, String> environment) {
    for (Launcher launcher : values()) {
      boolean fits = launcher != SLURM_PMI2 || "pmi2".equals(environment.get("SLURM_MPI_TYPE"));
      if (fits && environment.containsKey(launcher.tasksVariable)) {
        return launcher;
      }
    }
    return NONE;
  }

  /** How many processes it started, 1 if nobody says so. */
  public int tasks() {
    return this == NONE ? 1 : Integer.parseInt(System.getenv(tasksVariable));
  }

  /** Which of them this process is, counted from 0; 0 if nobody says so. */
  public int rank() {
    String rank = this == NONE ? null : System.getenv(rankVariable);
    return rank == null ? 0 : Integer.parseInt(rank);
  }

  /** Its option that lets a process run on more cores; empty if there is no launcher. */
  public String unbind() {
    return unbind;
  }

  /** Whether processes that it started find each other with a library of this family. */
  boolean serves(Abi abi) {
    return switch (this) {
      case OPEN_MPI -> abi == Abi.OPEN_MPI;
      case SLURM_PMI2, HYDRA -> abi == Abi.MPICH;
      case SLURM, NONE -> true;
    };
  }

  /** What it is called. */
  @Override
  public String toString() {
    return title;
  }
}
