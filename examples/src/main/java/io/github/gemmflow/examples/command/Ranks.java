// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.command;

import io.github.gemmflow.Config;
import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.World;
import java.util.function.Consumer;
import picocli.CommandLine.Option;

/** Ranks that a program runs on: those of a job, a single one if there is none, or threads. */
public final class Ranks {
  @Option(
      names = "--local",
      paramLabel = "N",
      description = "ranks as threads of this process, instead of those of the job")
  private int local;

  /** How many ranks share the memory of this process. */
  public int inThisProcess() {
    return Math.max(1, local);
  }

  /** Runs a program on all ranks; returns when this process's are done. */
  public void run(Config config, Consumer<World> program) {
    if (local > 0) {
      LocalWorld.of(local).config(config).run(program::accept);
      return;
    }
    World.run(config, program::accept);
  }
}
