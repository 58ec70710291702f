// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.predictions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Time that a hypervisor has taken from this virtual machine, as Linux counts it.
 *
 * @param stolen ticks in which a processor was wanted here and worked for others
 * @param all ticks of all processors
 */
record StolenTime(long stolen, long all) {
  private static final Path COUNTS = Path.of("/proc/stat");

  /** Where the stolen ticks stand in the first line, and how many of its counts make a whole. */
  private static final int STOLEN = 7;

  private static final int COUNTED = 8;

  /** What was taken since the machine started. */
  static StolenTime now() throws IOException {
    return parse(Files.readString(COUNTS).lines().findFirst().orElse(""));
  }

  /** What a line such as "cpu 57 0 6 34 0 0 0 2 0 0" says. */
  private static StolenTime parse(String line) {
    long[] counts =
        Arrays.stream(line.strip().split(" +"))
            .skip(1)
            .limit(COUNTED)
            .mapToLong(Long::parseLong)
            .toArray();
    return new StolenTime(counts[STOLEN], Arrays.stream(counts).sum());
  }

  /** The share of all time that was taken since an earlier moment. */
  double shareSince(StolenTime before) {
    return (double) (stolen - before.stolen) / Math.max(1, all - before.all);
  }
}
