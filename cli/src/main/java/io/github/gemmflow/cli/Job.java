// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import io.github.gemmflow.Config;
import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.World;
import io.github.gemmflow.cli.bench.Counters;
import io.github.gemmflow.cli.data.AgreedException;
import io.github.gemmflow.failure.DisagreementException;
import io.github.gemmflow.failure.GemmflowException;
import io.github.gemmflow.mpi.binding.Launcher;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Task on ranks: threads, those of a job that runs already, or those of a new one. */
final class Job {
  private final RankOptions ranks;
  private final Config config;
  private final CommandOutput output;
  private final @Nullable LocalWorld threads;

  Job(RankOptions ranks, Config config, CommandOutput output) {
    this.ranks = ranks;
    this.config = config;
    this.output = output;
    this.threads = ranks.engine() == RankOptions.Engine.LOCAL ? ranks.localWorld() : null;
    if (threads == null) {
      ranks.checkProcesses();
    }
  }

  /** Bytes that have come into the host of a rank over its links. */
  long bytesIntoHost(int rank) {
    return threads == null ? Counters.bytesIntoHost() : threads.bytesInto(rank);
  }

  /**
   * Runs it and returns the exit code.
   *
   * @param arguments what this command was called with, for ranks that have to be started
   * @param program what every rank does; what it throws as {@link CommandException} or {@link
   *     AgreedException} all ranks throw
   */
  int run(List<String> arguments, World.Program program) throws IOException, InterruptedException {
    int toStart = ranks.toStart();
    Launcher launcher = Launcher.current();
    if (threads != null) {
      checkAlone(launcher);
      threads.config(config).run(program);
    } else if (launcher != Launcher.NONE) {
      join(program);
    } else if (toStart == 1) {
      try (World world = World.single(config)) {
        runRank(world, program);
      }
    } else if (CommandOutput.isWatched()) {
      throw new CommandException(
          ExitCode.RANKS,
          "%s started this process, but does not tell it which rank it is: name the mpirun of Open MPI or MPICH"
              .formatted(ranks.mpirun()));
    } else {
      return new Mpirun(ranks.mpirun(), output).run(toStart, arguments);
    }
    return ExitCode.GOOD.number();
  }

  /** Threads of every process would all do the same, and write the same files. */
  private static void checkAlone(Launcher launcher) {
    if (launcher.tasks() > 1) {
      throw new CommandException(
          ExitCode.INPUT,
          "--engine local: %s started %d processes, and each would start all ranks: leave out one of both"
              .formatted(launcher, launcher.tasks()));
    }
  }

  private void join(World.Program program) {
    try (World world = World.join(config)) {
      runRank(
          world,
          joined -> {
            checkSize(joined.size());
            program.run(joined);
          });
    }
  }

  private void checkSize(int size) {
    if (ranks.isGiven() && size != ranks.toStart()) {
      throw new CommandException(
          ExitCode.INPUT,
          "--ranks %d: this job has %d; leave the option out in a job that runs already"
              .formatted(ranks.toStart(), size));
    }
  }

  /** Tells what went wrong before the world is closed: to end a job is a noisy affair. */
  private void runRank(World world, World.Program program) {
    try {
      program.run(world);
    } catch (CommandException | AgreedException e) {
      output.failOnRank(world.rank(), e, true);
      throw e;
    } catch (GemmflowException e) {
      output.failOnRank(world.rank(), e, e instanceof DisagreementException);
      throw e;
    } catch (Exception | Error e) {
      output.failOnRank(world.rank(), e, false);
      // The others know nothing of it, and would wait.
      world.abort(Failure.of(e).message());
      throw new IllegalStateException(e);
    }
  }
}
