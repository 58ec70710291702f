// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.job;

import io.github.gemmflow.Config;
import io.github.gemmflow.World;
import io.github.gemmflow.measure.Progress;
import io.github.gemmflow.mpi.binding.Launcher;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParentCommand;

/**
 * Subcommand of {@code gemmflow}, described by picocli's annotations. A module adds one by offering
 * it as a service of this class: those that are there become part of the command.
 */
public abstract class Subcommand implements Callable<Integer> {
  @ParentCommand private @Nullable MainCommand main;

  /** Makes a subcommand, for its main command to call. */
  protected Subcommand() {}

  /** Where output goes. */
  protected final CommandOutput output() {
    return main().output();
  }

  /** Where to report progress: rank 0 reports that of all ranks. */
  protected final Progress progress(World world) {
    return world.rank() == 0 ? output().progress() : Progress.NONE;
  }

  /**
   * Checks files that this command is to write, before a long run: in the process that starts the
   * job, because other hosts may have other directories.
   *
   * @throws CommandException if there is no directory for one of them, or one in its place
   */
  protected static void checkOutput(@Nullable Path... files) {
    if (Launcher.current() == Launcher.NONE) {
      OutputFile.check(files);
    }
  }

  /**
   * A job on ranks, which run this call of the command if they are processes.
   *
   * @param config the configuration of each rank
   */
  protected final Job job(RankOptions ranks, Config config) {
    return new Job(ranks, config, main());
  }

  private MainCommand main() {
    return Objects.requireNonNull(main, "a subcommand is called by its main command");
  }
}
