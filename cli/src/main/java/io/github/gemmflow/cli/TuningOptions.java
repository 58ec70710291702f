// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import io.github.gemmflow.Config;
import io.github.gemmflow.cli.job.ComputeOptions;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.SumPath;
import io.github.gemmflow.tuning.Tuning;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options for what the rules would choose: how rows travel and are multiplied. */
final class TuningOptions {
  @Mixin private ComputeOptions compute = new ComputeOptions();

  @Option(
      names = "--base-m",
      paramLabel = "ROWS",
      description = "rows that travel together (default: automatic)")
  private @Nullable Integer chunkRows;

  @Option(
      names = "--inflight",
      paramLabel = "COUNT",
      description = "messages in flight per rank and host (default: automatic, at least 8)")
  private @Nullable Integer inFlight;

  @Option(
      names = "--schedule",
      description = "schedule between hosts: mesh, ring or two-way-ring (default: automatic)")
  private @Nullable String schedule;

  @Option(
      names = "--storage",
      description =
          "row storage: gathered (contiguous) or streamed (bounded memory) (default: automatic)")
  private @Nullable Storage storage;

  @Option(
      names = "--sums",
      description = "path of sums that all ranks receive: direct or staged (default: automatic)")
  private @Nullable SumPath sums;

  /** The settings of this process, with what was asked for here. */
  Config config() {
    Config.Builder builder = compute.config();
    return builder.tuning(tuning(builder.tuning())).build();
  }

  private Tuning tuning(Tuning start) {
    Tuning tuning = start;
    if (chunkRows != null) {
      tuning = tuning.withChunkRows(chunkRows);
    }
    if (inFlight != null) {
      tuning = tuning.withInFlight(inFlight);
    }
    if (schedule != null) {
      tuning = tuning.withSchedule(Schedule.named(schedule));
    }
    if (sums != null) {
      tuning = tuning.withSums(sums);
    }
    if (storage != null) {
      tuning = tuning.withStorage(storage);
    }
    return tuning;
  }
}
