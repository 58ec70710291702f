// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.engine.local.Links;
import io.github.gemmflow.engine.local.LocalFabric;
import io.github.gemmflow.failure.BrokenException;
import io.github.gemmflow.failure.DisagreementException;
import io.github.gemmflow.failure.EngineException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Ranks as threads of this JVM, on one or several pretended hosts: ranks of different hosts share
 * no memory and pass messages.
 */
public final class LocalWorld {
  private final int[] hostOf;
  private Function<Integer, Config> config = rank -> Config.load();
  private UnaryOperator<Engine> decorate = engine -> engine;
  private double bitsPerSecond;
  private Duration latency = Duration.ZERO;
  private volatile @Nullable LocalFabric fabric;

  private LocalWorld(int[] hostOf) {
    this.hostOf = hostOf;
  }

  /** Ranks on one host. */
  public static LocalWorld of(int ranks) {
    return onHosts(new int[ranks]);
  }

  /**
   * Ranks on several pretended hosts.
   *
   * @param hostOf the number of each rank's host; 0 0 1 1 2 2 is 6 ranks on 3 hosts
   */
  public static LocalWorld onHosts(int... hostOf) {
    if (hostOf.length == 0) {
      throw new IllegalArgumentException("a world has at least one rank");
    }
    return new LocalWorld(hostOf.clone());
  }

  /**
   * Lets messages between pretended hosts take time: a simulation, so that schedules, chunks and
   * overlap can be seen on one machine. Each host has a link with this rate in either direction;
   * the network between them has no limit, and headers of packets take nothing. Set-up and
   * broadcasts are as fast as before.
   *
   * @param newBitsPerSecond 0 for no limit
   * @param newLatency what the first byte of a message takes
   */
  public LocalWorld links(double newBitsPerSecond, Duration newLatency) {
    if (!(newBitsPerSecond >= 0) || newLatency.isNegative()) {
      throw new IllegalArgumentException(
          "invalid links of %s bit/s and %s: neither may be negative"
              .formatted(newBitsPerSecond, newLatency));
    }
    bitsPerSecond = newBitsPerSecond;
    latency = newLatency;
    return this;
  }

  /** Bytes that have come into the host of a rank from other hosts since {@link #run} began. */
  public long bytesInto(int rank) {
    LocalFabric running = fabric;
    return running == null ? 0 : running.bytesInto(rank);
  }

  /** The same configuration for all ranks. */
  public LocalWorld config(Config same) {
    return config(rank -> same);
  }

  /** A configuration for each rank. */
  public LocalWorld config(Function<Integer, Config> byRank) {
    config = byRank;
    return this;
  }

  /** Puts something around each engine, such as one that delays messages. */
  public LocalWorld decorate(UnaryOperator<Engine> decorator) {
    decorate = decorator;
    return this;
  }

  /**
   * Runs the program on every rank and returns when all are done.
   *
   * @throws RuntimeException what a rank threw; what other ranks threw is suppressed in it
   */
  public void run(World.Program program) {
    Links links = Links.of(LocalFabric.hosts(hostOf), bitsPerSecond, latency);
    LocalFabric job = new LocalFabric(hostOf, links);
    fabric = job;
    @Nullable Throwable[] failures = new @Nullable Throwable[hostOf.length];
    List<Thread> threads = new ArrayList<>();
    for (int r = 0; r < hostOf.length; r++) {
      int rank = r;
      threads.add(
          Thread.ofPlatform()
              .name("gemmflow-rank-" + rank)
              .start(() -> failures[rank] = runRank(job, rank, program)));
    }
    boolean interrupted = false;
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
          job.abort("interrupted");
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    throwFirst(failures);
  }

  private @Nullable Throwable runRank(LocalFabric job, int rank, World.Program program) {
    try (World world =
        new World(
            config.apply(rank), "gemmflow-comm-" + rank, () -> decorate.apply(job.engine(rank)))) {
      world.runProgram(program);
      return null;
    } catch (Throwable e) {
      job.abort("rank %d: %s".formatted(rank, e));
      return e;
    }
  }

  /** How far a failure is from its cause, which is what a rank threw by itself. */
  private static int distanceFromCause(Throwable failure) {
    if (failure instanceof BrokenException || failure instanceof EngineException) {
      return 2;
    }
    return failure instanceof DisagreementException ? 1 : 0;
  }

  /** Throws the failure that explains the others. */
  private static void throwFirst(@Nullable Throwable[] failures) {
    List<Throwable> all = new ArrayList<>();
    for (Throwable failure : failures) {
      if (failure != null) {
        all.add(failure);
      }
    }
    if (all.isEmpty()) {
      return;
    }
    Throwable first = Collections.min(all, Comparator.comparingInt(LocalWorld::distanceFromCause));
    all.stream().filter(f -> !f.equals(first)).forEach(first::addSuppressed);
    if (first instanceof RuntimeException e) {
      throw e;
    }
    if (first instanceof Error e) {
      throw e;
    }
    throw new IllegalStateException(first);
  }
}
