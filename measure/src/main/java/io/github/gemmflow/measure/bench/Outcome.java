// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.bench;

/** Outcome of a benchmark; the same on all ranks. */
public sealed interface Outcome permits Result, GatherResult {
  /** All of it, for a person. */
  String text();

  /** Where it was measured, for the head of a table of several. */
  String where();

  /** The heads of the columns of such a table. */
  String heading();

  /** A line of such a table. */
  String row();

  /** All of it, for a program. */
  String json();

  /** The name of the file for {@link #json}, among those of other sizes and numbers of ranks. */
  String fileName();

  /** Whether every rank's results are exactly right. */
  boolean verified();
}
