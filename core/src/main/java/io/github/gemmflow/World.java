// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static java.lang.System.Logger.Level.WARNING;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.engine.local.LocalFabric;
import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.pipeline.CommThread;
import io.github.gemmflow.pipeline.Ending;
import io.github.gemmflow.pipeline.Futures;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * All ranks of a job, as one of them sees it. A process joins a job that a launcher started ({@link
 * #join}), is alone ({@link #single}), or runs several ranks as threads ({@link #local}).
 *
 * <p>Thread-safe, except that collective calls are made in the same order on all ranks.
 */
public final class World implements AutoCloseable {
  /** What each rank of a local world does. */
  @FunctionalInterface
  public interface Program {
    void run(World world) throws Exception;
  }

  private static final System.Logger LOG = System.getLogger("io.github.gemmflow");

  private final Config config;
  private final CommThread commThread;
  private final Engine engine;
  private final Kernel kernel;
  private final Neighbours neighbours;
  private final Agreement agreement;
  private final List<Group> groups = new ArrayList<>();
  private final Object closing = new Object();
  private final OrderlyEnd ending;
  private volatile boolean closed;

  /**
   * Connects a rank.
   *
   * @param threadName what the comm thread is called
   */
  World(Config config, String threadName, Supplier<Engine> connect) {
    this.config = config;
    this.kernel = Providers.kernel(config);
    this.commThread = new CommThread(threadName, connect);
    this.engine = commThread.engine();
    try {
      this.agreement = new Agreement(commThread, engine.world(), null, config.setupDeadline());
      this.neighbours = Neighbours.find(agreement, engine, config.windowDirectory());
      this.ending = new OrderlyEnd(rank(), neighbours);
      commThread.sleepOn(
          neighbours.commBell(rank()), config.idle().spinNanos(), commThreadMaySpin());
      warnOfTooManyThreads();
    } catch (RuntimeException | Error e) {
      // Nobody can count on the others any more, and leaving in good order may need them.
      abortBecause("rank %d could not join the world: %s".formatted(engine.rank(), e.getMessage()));
      commThread.close();
      throw e;
    }
  }

  /**
   * Joins the job that this process was launched in. Collective over all its ranks. A process that
   * no launcher started, and that has no engine to join with, becomes a world of one, and the log
   * says so.
   *
   * @throws io.github.gemmflow.failure.EngineException if there are other ranks and they cannot be
   *     had
   */
  public static World join() {
    return join(Config.load());
  }

  /** Like {@link #join()}. */
  public static World join(Config config) {
    return attach(config, () -> Providers.engine(config, System.getenv()));
  }

  /**
   * Joins the job of an engine that the program hands in, such as {@code MpiEngine::attach} where
   * the program has initialised MPI itself. Collective over all ranks of that job.
   *
   * @param connect makes the engine; called once, on the thread that makes all its calls
   */
  public static World attach(Supplier<Engine> connect) {
    return attach(Config.load(), connect);
  }

  /** Like {@link #attach(Supplier)}. */
  public static World attach(Config config, Supplier<Engine> connect) {
    World world = new World(config, "gemmflow-comm", connect);
    world.ending.prepare(world);
    return world;
  }

  /** A world of one rank. */
  public static World single() {
    return single(Config.load());
  }

  /** A world of one rank. */
  public static World single(Config config) {
    return new World(config, "gemmflow-comm", () -> new LocalFabric(0).engine(0));
  }

  /**
   * Runs ranks as threads of this JVM, for tests and laptops, and returns when all are done. If one
   * throws, the others are told to end, and its exception is thrown here. {@link LocalWorld} has
   * more to choose from.
   */
  public static void local(int ranks, Program program) {
    LocalWorld.of(ranks).run(program);
  }

  /** This process's rank in the job. */
  public int rank() {
    return engine.rank();
  }

  /** The number of ranks in the job. */
  public int size() {
    return engine.size();
  }

  /** How this world behaves. */
  public Config config() {
    return config;
  }

  /** What carries rows between ranks, with its version. */
  public String engineName() {
    return engine.name();
  }

  /** What multiplies. */
  public Kernel kernel() {
    return kernel;
  }

  /** Packs weights for this world's kernel. Local; the source may be freed afterwards. */
  public PackedWeights pack(Matrix weights, WeightLayout layout) {
    return kernel.pack(weights, layout);
  }

  /** A group of all ranks. Collective. */
  public Group group() {
    return split(ReplicaGroups.ofSize(size()));
  }

  /**
   * Cuts the world into groups that run side by side, and returns the one that this rank is in.
   * Collective over all ranks of the world.
   */
  public Group split(ReplicaGroups cut) {
    checkOpen();
    List<int[]> parts =
        agreement.reach(
            "splitting the world",
            Map.of("groups", cut),
            () -> {
              checkNoStepIsOpen();
              return cut.resolve(size());
            });
    int color = 0;
    while (Arrays.binarySearch(parts.get(color), rank()) < 0) {
      color++;
    }
    int chosen = color;
    Channel channel =
        Futures.join(
            commThread.call(() -> engine.split(chosen)),
            config.setupDeadline(),
            () ->
                "rank %d waited %d s for the engine to split the world"
                    .formatted(rank(), config.setupDeadline().toSeconds()));
    Group group = new Group(this, channel, parts.get(color));
    synchronized (groups) {
      groups.add(group);
    }
    return group;
  }

  /** An engine may block while it splits the world, and steps would stand still. */
  private void checkNoStepIsOpen() {
    if (openGroups().stream().anyMatch(Group::hasOpenStep)) {
      throw new IllegalStateException("a step is open: end it before the world is split");
    }
  }

  List<Group> openGroups() {
    synchronized (groups) {
      return List.copyOf(groups);
    }
  }

  void checkOpen() {
    if (closed) {
      throw new IllegalStateException(ending.reason("the world is closed"));
    }
  }

  CommThread commThread() {
    return commThread;
  }

  Ending ending() {
    return ending;
  }

  Neighbours neighbours() {
    return neighbours;
  }

  String island() {
    return engine.island();
  }

  /** Threads that multiply take turns on a core at best; nobody would ask for that. */
  private void warnOfTooManyThreads() {
    int threads = config.threads();
    if (threads > 1 && !hasCoresFor(threads) && neighbours.domains().indexOf(rank()) == 0) {
      int processors = Runtime.getRuntime().availableProcessors();
      LOG.log(
          WARNING,
          "rank {0}: {1} rank(s) with {2} compute threads each are too many for the {3} processors that this process may use: set gemmflow.threads to {4}",
          rank(),
          hostRanks(),
          threads,
          processors,
          Math.max(1, processors / hostRanks()));
    }
  }

  private int hostRanks() {
    return neighbours.domains().size(neighbours.domains().of(rank()));
  }

  private boolean hasCoresFor(int threadsPerRank) {
    return hostRanks() * threadsPerRank <= Runtime.getRuntime().availableProcessors();
  }

  /** Where cores are scarce, only while a compute thread of this host sleeps: it waits for rows. */
  private BooleanSupplier commThreadMaySpin() {
    if (config.idle() != Idle.SPIN) {
      return () -> false;
    }
    return hasCoresFor(config.threads() + 1)
        ? () -> true
        : () -> neighbours.doesAnyComputeThreadSleep(rank());
  }

  /**
   * How long a compute thread spins for others of its rank before it sleeps. Nobody spins where
   * that would take a core from someone who multiplies.
   */
  long spinNanos() {
    return hasCoresFor(config.threads()) ? config.idle().spinNanos() : 0;
  }

  /** The same for rows to come: where they come from other hosts, the comm thread needs a core. */
  long rowsSpinNanos() {
    int commThreads = neighbours.domains().count() > 1 ? 1 : 0;
    return hasCoresFor(config.threads() + commThreads) ? config.idle().spinNanos() : 0;
  }

  @Override
  public String toString() {
    return "rank %d of %d".formatted(rank(), size());
  }

  /** Ends the job for all ranks at once. */
  public void abort(String reason) {
    abortBecause("rank %d: %s".formatted(rank(), reason));
  }

  private void abortBecause(String reason) {
    Futures.joinUninterruptibly(
        commThread.call(
            () -> {
              engine.abort(reason);
              return true;
            }));
  }

  /**
   * Closes what is still open on this rank and leaves the job. After a failure it ends the job for
   * all ranks instead, since nobody can wait for the others any more.
   */
  @Override
  public void close() {
    // Whoever comes second waits: a process must not end before its world is closed.
    synchronized (closing) {
      if (closed) {
        return;
      }
      List<Group> mine;
      synchronized (groups) {
        closed = true;
        mine = List.copyOf(groups);
      }
      List<Runnable> stages = new ArrayList<>();
      stages.add(ending::forget);
      mine.forEach(group -> stages.add(group::close));
      stages.add(() -> abortIfBroken(mine));
      stages.add(commThread::close);
      mine.forEach(group -> stages.add(group::unmap));
      stages.add(neighbours::close);
      runAll(stages);
    }
  }

  private void abortIfBroken(List<Group> mine) {
    mine.stream()
        .filter(Group::isBroken)
        .findFirst()
        .ifPresent(
            group -> {
              waitFor(engine.graceNanos());
              abortBecause(group.members().reason());
            });
  }

  private static void waitFor(long nanos) {
    long start = System.nanoTime();
    for (long left = nanos; left > 0; left = nanos - (System.nanoTime() - start)) {
      LockSupport.parkNanos(left);
      if (Thread.currentThread().isInterrupted()) {
        return;
      }
    }
  }

  /** Does everything, whatever throws; then throws that. */
  private static void runAll(List<Runnable> stages) {
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
