// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.engine.local.LocalFabric;
import io.github.gemmflow.failure.GemmflowException;
import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.pipeline.Ending;
import io.github.gemmflow.pipeline.comm.CommThread;
import io.github.gemmflow.pipeline.comm.Durations;
import io.github.gemmflow.pipeline.comm.Futures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All ranks of a job, as one of them sees it. A process joins a job that a launcher started ({@link
 * #join}), is alone ({@link #single}), or runs several ranks as threads ({@link #local}).
 *
 * <p>Thread-safe, except that collective calls are made in the same order on all ranks.
 */
public final class World implements AutoCloseable {
  /** What each rank of a world does. */
  @FunctionalInterface
  public interface Program {
    void run(World world) throws Exception;
  }

  /** When all ranks close their engines, that takes no time; one that hangs is left alone. */
  private static final Duration ENGINE_CLOSE = Duration.ofSeconds(3);

  private static final System.Logger LOG = System.getLogger("io.github.gemmflow");

  private static final AtomicBoolean INTRODUCED = new AtomicBoolean();

  private final Config config;
  private final CommThread commThread;
  private final Engine engine;
  private final Kernel kernel;
  private final Neighbours neighbours;
  private final WorldHealth health;
  private final Agreement agreement;
  private final JobEnd jobEnd;
  private final List<Group> groups = new ArrayList<>();
  private final Object makingGroup = new Object();
  private @Nullable Group groupOfAll;
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
    this.engine = commThread.engine(config.setupDeadline());
    this.jobEnd = new JobEnd(commThread, engine);
    try {
      Agreement joining = new Agreement(commThread, engine.world(), null, config.setupDeadline());
      this.neighbours = Neighbours.find(joining, engine, config.windowDirectory());
      this.health = new WorldHealth(rank(), neighbours);
      this.agreement = new Agreement(commThread, engine.world(), health, config.setupDeadline());
      commThread.watch(rank(), health);
      this.ending = new OrderlyEnd(rank(), neighbours);
      commThread.sleepOn(
          neighbours.commBell(rank()), config.idle().spinNanos(), commThreadMaySpin());
      warnOfTooManyThreads();
      introduce();
    } catch (RuntimeException | Error e) {
      // Nobody can count on the others any more, and leaving in good order may need them.
      String reason =
          "rank %d could not join the world: %s".formatted(engine.rank(), e.getMessage());
      if (jobEnd.begin(reason)) {
        boolean _ = commThread.close(ENGINE_CLOSE);
      }
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
   * Joins the job that this process was launched in, runs a program in it, and leaves the job. If
   * the program throws, the job ends for all ranks: those of the same host learn why at once, and
   * the exception is thrown here. Collective over all ranks of the job.
   *
   * <p>This is the way to run a program on several processes. A program that joins and closes the
   * world itself, and throws, leaves it to the deadline of {@link #close} to end the others.
   */
  public static void run(Program program) {
    run(Config.load(), program);
  }

  /** Like {@link #run(Program)}. */
  public static void run(Config config, Program program) {
    try (World world = join(config)) {
      world.runProgram(program);
    }
  }

  /** Runs a program; whatever it throws breaks the world, and is thrown. */
  void runProgram(Program program) {
    try {
      program.run(this);
    } catch (RuntimeException | Error e) {
      fail(e);
      throw e;
    } catch (Exception e) {
      fail(e);
      throw new IllegalStateException(e);
    }
  }

  private void fail(Throwable e) {
    health.breakUp("rank %d: %s".formatted(rank(), e));
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

  /**
   * The group of all ranks. The first call makes it and is collective, as is the first after it was
   * closed; others return the same group.
   */
  public Group group() {
    synchronized (makingGroup) {
      Group known = groupOfAll;
      if (known == null || known.isClosed()) {
        known = split(ReplicaGroups.ofSize(size()));
        groupOfAll = known;
      }
      return known;
    }
  }

  /**
   * Cuts the world into groups that run side by side, and returns the one that this rank is in. It
   * can be closed before the world is. Collective over all ranks of the world.
   */
  public Group split(ReplicaGroups cut) {
    checkOpen();
    if (health.isBroken()) {
      throw health.broken();
    }
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
    Group group = new Group(this, splitEngine(color), parts.get(color));
    synchronized (groups) {
      groups.add(group);
    }
    return group;
  }

  private Channel splitEngine(int color) {
    try {
      return Futures.join(
          commThread.call(() -> engine.split(color)),
          config.setupDeadline(),
          () ->
              "rank %d waited %s for the engine to split the world"
                  .formatted(rank(), Durations.describe(config.setupDeadline())));
    } catch (GemmflowException e) {
      health.breakUp("rank %d: %s".formatted(rank(), e.getMessage()));
      throw e;
    }
  }

  void forget(Group group) {
    synchronized (groups) {
      groups.remove(group);
    }
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

  boolean isClosed() {
    return closed;
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

  WorldHealth health() {
    return health;
  }

  long graceNanos() {
    return engine.graceNanos();
  }

  String island() {
    return engine.island();
  }

  /** One line for the whole job, so that its log says what it ran on; once in a process. */
  private void introduce() {
    if (rank() == 0 && !INTRODUCED.getAndSet(true)) {
      LOG.log(
          INFO,
          "{0,choice,1#1 rank|1<{0} ranks} on {1,choice,1#1 host|1<{1} hosts}: {2}, kernel {3} ({4})",
          size(),
          neighbours.domains().count(),
          engineName(),
          kernel.name(),
          kernel.instructions());
    }
  }

  /** Threads that multiply take turns on a core at best; nobody would ask for that. */
  private void warnOfTooManyThreads() {
    int threads = config.threads();
    if (threads > 1 && !hasCoresFor(threads) && neighbours.domains().indexOf(rank()) == 0) {
      int processors = Runtime.getRuntime().availableProcessors();
      LOG.log(
          WARNING,
          "rank {0}: {1,choice,1#1 rank|1<{1} ranks} with {2} compute threads each are too many for the {3} processors that this process may use: set gemmflow.threads to {4}",
          rank(),
          hostRanks(),
          threads,
          processors,
          Math.max(1, processors / hostRanks()));
    }
  }

  private int hostRanks() {
    return neighbours.domains().size(neighbours.domains().domainOf(rank()));
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
    jobEnd.now("rank %d: %s".formatted(rank(), reason));
  }

  /**
   * Closes what is still open on this rank and leaves the job. Collective over all ranks of the
   * job, unless they are threads of one JVM.
   *
   * <p>It waits no longer than {@link Config#setupDeadline} for the others. If they do not come, or
   * something failed before, it ends the job for all ranks instead, a moment after it returns: so
   * an exception on its way through this call is still printed. Ranks that are threads never end
   * the JVM.
   *
   * @throws io.github.gemmflow.failure.DeadlineException if the others do not close their worlds
   */
  @Override
  public void close() {
    close(config.setupDeadline());
  }

  /** Like {@link #close()}, but waits at most so long for the others. */
  void close(Duration patience) {
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
      mine.forEach(group -> stages.add(group::closeWorkspaces));
      stages.add(() -> leave(mine, patience));
      runAll(stages);
    }
  }

  private void leave(List<Group> mine, Duration patience) {
    GemmflowException late = meetToClose(mine, patience);
    Optional<String> failure = failure(mine);
    if (failure.isPresent() && !jobEnd.begin(failure.get())) {
      // The job and all that this process holds end soon.
      throwIfAny(late);
      return;
    }
    if (commThread.close(ENGINE_CLOSE)) {
      mine.forEach(Group::unmap);
      neighbours.close();
    } else {
      LOG.log(
          WARNING,
          "rank {0}: {1} did not close within {2}; {3}the process goes on without it",
          rank(),
          engineName(),
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
  private @Nullable GemmflowException meetToClose(List<Group> mine, Duration patience) {
    if (failure(mine).isPresent() || !engine.closesTogether()) {
      return null;
    }
    neighbours.leave(rank());
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
  private Optional<String> failure(List<Group> mine) {
    return Stream.concat(Stream.of(health.reason()), mine.stream().map(g -> g.members().reason()))
        .filter(reason -> !reason.isEmpty())
        .findFirst();
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
