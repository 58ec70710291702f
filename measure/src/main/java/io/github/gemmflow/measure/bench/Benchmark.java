// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.bench;

import io.github.gemmflow.World;
import io.github.gemmflow.measure.Progress;
import java.util.function.LongSupplier;

/** Something that all ranks of a world time together. */
public sealed interface Benchmark permits LayerBenchmark, GatherBenchmark {
  /**
   * Runs on every rank of a world. Collective.
   *
   * @param progress is told of each round
   * @param bytesIntoHost the bytes that have come into this rank's host over its links so far
   */
  Outcome run(World world, Progress progress, LongSupplier bytesIntoHost);
}
