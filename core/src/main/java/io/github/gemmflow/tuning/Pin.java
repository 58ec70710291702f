// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning;

/** Binding of the threads of a rank to cores. The threads of the program are left alone. */
public enum Pin {
  /** The operating system moves threads as it likes. */
  NONE,
  /** Each compute thread stays on a core, and the communication thread on what is left. */
  CORES
}
