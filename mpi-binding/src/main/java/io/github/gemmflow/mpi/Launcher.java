// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi;

import java.util.Map;

/** Who started this process, by the environment that it left. */
public enum Launcher {
  /** Open MPI's mpirun. */
  OPEN_MPI("Open MPI's mpirun", "OMPI_COMM_WORLD_SIZE", "--bind-to none"),

  /** The mpirun of MPICH, Intel MPI and MVAPICH; also srun with {@code --mpi=pmi2}. */
  HYDRA("MPICH's mpirun", "PMI_SIZE", "-bind-to none"),

  /** Slurm's srun. */
  SLURM("srun", "SLURM_STEP_NUM_TASKS", "--cpu-bind=none"),

  /** Nobody that is known here. */
  NONE("no launcher", "", "");

  private final String title;
  private final String tasksVariable;
  private final String unbind;

  Launcher(String title, String tasksVariable, String unbind) {
    this.title = title;
    this.tasksVariable = tasksVariable;
    this.unbind = unbind;
  }

  /** The launcher of this process. */
  public static Launcher current() {
    return of(System.getenv());
  }

  static Launcher of(Map<String, String> environment) {
    for (Launcher launcher : values()) {
      if (environment.containsKey(launcher.tasksVariable)) {
        return launcher;
      }
    }
    return NONE;
  }

  /** How many processes it started, 1 if nobody says so. */
  public int tasks() {
    return this == NONE ? 1 : Integer.parseInt(System.getenv(tasksVariable));
  }

  /** Its option that lets a process run on all cores; empty if there is no launcher. */
  public String unbind() {
    return unbind;
  }

  /** Whether processes that it started find each other with a library of this family. */
  boolean serves(Abi abi) {
    return switch (this) {
      case OPEN_MPI -> abi == Abi.OPEN_MPI;
      case HYDRA -> abi == Abi.MPICH;
      case SLURM, NONE -> true;
    };
  }

  /** What it is called. */
  @Override
  public String toString() {
    return title;
  }
}
