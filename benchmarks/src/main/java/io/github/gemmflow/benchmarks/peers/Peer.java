// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.peers;

import java.io.IOException;

/** A program that runs a model on hosts. */
interface Peer {
  /** What it is, and how it is run. */
  String name();

  /** Writes the model that it runs, unless that has been done. */
  void prepare() throws IOException, InterruptedException;

  /** Whether so many hosts make a difference to it. */
  default boolean runsOn(int hosts) {
    return true;
  }

  /** Runs it once, on the first hosts of the lab, with one thread on each. */
  Speed run(int hosts) throws IOException, InterruptedException;
}
