// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.job;

import io.github.gemmflow.Config;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for how ranks multiply. */
public final class ComputeOptions {
  @Option(
      names = "--compute-threads",
      paramLabel = "COUNT",
      description = "threads of each rank that multiply (default: 1)")
  private @Nullable Integer threads;

  /** The settings of this process, with what was asked for here. */
  public Config.Builder config() {
    Config.Builder builder = Config.builder();
    if (threads != null) {
      builder.threads(threads);
    }
    return builder;
  }
}
