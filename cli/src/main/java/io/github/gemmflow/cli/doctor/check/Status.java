// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.check;

import java.util.Locale;

/** Severity of a finding. */
public enum Status {
  OK,

  /** It runs, but perhaps not as fast, as far or as it was meant. */
  WARNING,

  /** It does not run, or without what Gemmflow is for. */
  PROBLEM;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
