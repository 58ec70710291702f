// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system;

import java.util.List;
import java.util.Locale;

/** An MPI, by the names that Debian gives to its programs. */
public enum MpiFamily {
  OPENMPI {
    @Override
    List<String> options() {
      return List.of("--allow-run-as-root", "--oversubscribe", "--bind-to", "none");
    }

    @Override
    List<String> noCleanUp() {
      return List.of("--enable-recovery", "--mca", "orte_abort_on_non_zero_status", "0");
    }
  },

  MPICH {
    @Override
    List<String> options() {
      return List.of();
    }

    // A shell around each rank, because a rank that a signal ends is the end of all even so; the
    // others are told with SIGUSR1.
    @Override
    List<String> noCleanUp() {
      return List.of("-disable-auto-cleanup", "sh", "-c", "trap : USR1; \"$@\" || true", "sh");
    }
  };

  /** What it needs to run more ranks than there are cores, as root, on all cores. */
  abstract List<String> options();

  /** What goes before a rank's command to keep the launcher from ending all when one is lost. */
  abstract List<String> noCleanUp();

  String mpirun() {
    return "mpirun." + this;
  }

  /** What users call it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
