// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.job;

import io.github.gemmflow.Config;
import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.World;
import io.github.gemmflow.failure.DisagreementException;
import io.github.gemmflow.failure.GemmflowException;
import io.github.gemmflow.measure.Counters;
import io.github.gemmflow.mpi.binding.Launcher;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Task on ranks: threads, those of a job that runs already, or those of a new one. */
public final class Job {
  private final RankOptions ranks;
  private final Config config;
  private final MainCommand main;
  private final CommandOutput output;
  private final boolean local;
  private @Nullable LocalWorld threads;

  Job(RankOptions ranks, Config config, MainCommand main) {
    this.ranks = ranks;
    this.config = config;
    this.main = main;
    this.output = main.output();
    this.local = ranks.engine() == RankOptions.Engine.LOCAL;
    if (!local) {
      ranks.checkProcesses();
    }
  }

  /** Bytes that have come into the host of a rank over its links. */
  public long bytesIntoHost(int rank) {
    LocalWorld all = threads;
    return all == null ? Counters.bytesIntoHost() : all.bytesInto(rank);
  }

  /**
   * Runs it and returns the exit code. For several numbers of ranks there is one job after the
   * other.
   *
   * @param program what every rank does; what it throws as {@link CommandException} or {@link
   *     AgreedException} all ranks throw
   */
  public int run(World.Program program) throws IOException, InterruptedException {
    List<Integer> numbers = ranks.allToStart();
    if (!local && Launcher.current() != Launcher.NONE) {
      join(program);
      return ExitCode.GOOD.number();
    }
    for (int number : numbers) {
      int exitCode = start(number, program);
      if (exitCode != ExitCode.GOOD.number()) {
        return exitCode;
      }
    }
    return ExitCode.GOOD.number();
  }

  private int start(int number, World.Program program) throws IOException, InterruptedException {
    if (local) {
      checkAlone(Launcher.current());
      LocalWorld all = ranks.localWorld(number);
      threads = all;
      all.config(config).run(program);
    } else if (number == 1) {
      try (World world = World.single(config)) {
        runRank(world, program);
      }
    } else if (CommandOutput.isWatched()) {
      throw new CommandException(
          ExitCode.RANKS,
          "%s started this process, but did not set its rank: use the mpirun of Open MPI or MPICH"
              .formatted(ranks.mpirun()));
    } else {
      return new Mpirun(ranks.mpirun(), main).run(number);
    }
    return ExitCode.GOOD.number();
  }

  /** Threads of every process would all do the same, and write the same files. */
  private static void checkAlone(Launcher launcher) {
    if (launcher.tasks() > 1) {
      throw new CommandException(
          ExitCode.INPUT,
          "--engine local: %s started %d processes, and each would start all ranks: remove one of the two"
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

  /** A job that this command started has one of the numbers that were asked for. */
  private void checkSize(int size) {
    boolean fits =
        CommandOutput.isWatched()
            ? ranks.allToStart().contains(size)
            : ranks.allToStart().equals(List.of(size));
    if (ranks.isGiven() && !fits) {
      throw new CommandException(
          ExitCode.INPUT,
          "--ranks %s: this job has %d; remove the option in a job that is already running"
              .formatted(ranks.text(), size));
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
      if (!CommandOutput.isEnding()) {
        // The others know nothing of it, and would wait.
        world.abort(Failure.of(e).message());
      }
      throw new IllegalStateException(e);
    }
  }
}
