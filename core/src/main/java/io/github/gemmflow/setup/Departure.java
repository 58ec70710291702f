// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.setup;

import static java.lang.System.Logger.Level.WARNING;

import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.failure.GemmflowException;
import io.github.gemmflow.pipeline.comm.CommThread;
import io.github.gemmflow.pipeline.comm.Durations;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Departure of a rank from its job: in good order, together with the others, or by ending the job
 * if something has failed.
 */
public final class Departure {
  /** When all ranks close their engines, that takes no time; one that hangs is left alone. */
  public static final Duration ENGINE_CLOSE = Duration.ofSeconds(3);

  private static final System.Logger LOG = System.getLogger("io.github.gemmflow");

  private final CommThread commThread;
  private final Engine engine;
  private final Agreement agreement;
  private final WorldHealth health;
  private final Neighbours neighbours;
  private final JobEnd jobEnd;

  public Departure(
      CommThread commThread,
      Engine engine,
      Agreement agreement,
      WorldHealth health,
      Neighbours neighbours,
      JobEnd jobEnd) {
    this.commThread = commThread;
    this.engine = engine;
    this.agreement = agreement;
    this.health = health;
    this.neighbours = neighbours;
    this.jobEnd = jobEnd;
  }

  /**
   * Leaves the job.
   *
   * @param groupReasons why each group was given up; empty texts for those that were not
   * @param unmap frees the memory of the groups
   * @param patience how long to wait for the others
   */
  public void leave(Supplier<Stream<String>> groupReasons, Runnable unmap, Duration patience) {
    GemmflowException late = meet(groupReasons, patience);
    Optional<String> failure = failure(groupReasons);
    if (failure.isPresent() && !jobEnd.begin(failure.get())) {
      // The job and all that this process holds end soon.
      throwIfAny(late);
      return;
    }
    if (commThread.close(ENGINE_CLOSE)) {
      unmap.run();
      neighbours.close();
    } else {
      LOG.log(
          WARNING,
          "rank {0}: {1} did not close within {2}; {3}the process continues without it",
          engine.rank(),
          engine.name(),
          Durations.describe(ENGINE_CLOSE),
          failure.isEmpty() ? "all results are complete, and " : "");
    }
    throwIfAny(late);
  }

  private static void throwIfAny(@Nullable RuntimeException e) {
    if (e != null) {
      throw e;
    }
  }

  /** Makes sure that all ranks close the world, if they have to; returns what went wrong. */
  private @Nullable GemmflowException meet(
      Supplier<Stream<String>> groupReasons, Duration patience) {
    if (!engine.closesTogether()) {
      return null;
    }
    if (failure(groupReasons).isPresent()) {
      // A rank that has done all its work learns only here that another one has failed.
      return health.isBrokenByAnother() ? health.broken() : null;
    }
    neighbours.leave(engine.rank());
    // Who is interrupted closes in good order, too.
    boolean interrupted = Thread.interrupted();
    try {
      agreement.exchange("closing the world", new byte[0], patience);
      return null;
    } catch (GemmflowException e) {
      health.breakUp(String.valueOf(e.getMessage()));
      return e;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Why the job cannot be left in good order. */
  private Optional<String> failure(Supplier<Stream<String>> groupReasons) {
    return Stream.concat(Stream.of(health.reason()), groupReasons.get())
        .filter(reason -> !reason.isEmpty())
        .findFirst();
  }

  /** Does everything, whatever throws; then throws that. */
  public static void runAll(List<Runnable> stages) {
    RuntimeException first = null;
    for (Runnable stage : stages) {
      try {
        stage.run();
      } catch (RuntimeException e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }
}
