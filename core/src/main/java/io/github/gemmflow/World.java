// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.engine.local.LocalFabric;
import io.github.gemmflow.kernel.Int8Columns;
import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.setup.Departure;
import io.github.gemmflow.setup.MachineKey;
import io.github.gemmflow.setup.Membership;
import io.github.gemmflow.setup.Providers;
import io.github.gemmflow.tuning.Tuning;
import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.LinkCosts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All ranks of a job, as one of them sees it. There are these ways into one:
 *
 * <ul>
 *   <li>{@link #run(Program)}: a program on several processes. It is ended on all ranks if it
 *       throws on one.
 *   <li>{@link #join()}: the same where a block is not enough, as in a server. Whoever throws must
 *       call {@link #abort} first, or the others wait for their deadline.
 *   <li>{@link #attach(Supplier)}: a process that has started MPI itself.
 *   <li>{@link #single()}: one rank, whatever started this process.
 *   <li>{@link #local}: ranks as threads, for tests and laptops; {@link LocalWorld} simulates hosts
 *       and links, too.
 * </ul>
 *
 * <p>Thread-safe, except that collective calls are made in the same order on all ranks.
 */
public final class World implements AutoCloseable {
  /** What each rank of a world does. */
  @FunctionalInterface
  public interface Program {
    void run(World world) throws Exception;
  }

  private final Config config;
  private final Kernel kernel;
  private final Membership membership;
  private final Tuning tuning;
  private final List<Group> groups = new ArrayList<>();
  private final Object makingGroup = new Object();
  private @Nullable Group groupOfAll;
  private final Object closing = new Object();
  private volatile boolean closed;

  /**
   * Connects a rank.
   *
   * @param threadName what the communication thread is called
   */
  World(Config config, String threadName, Supplier<Engine> connect) {
    this.config = config;
    Kernel given = config.kernel();
    this.kernel = given != null ? given : Providers.kernel(config.kernelName());
    this.membership = new Membership(config.terms(), kernel, threadName, connect);
    this.tuning = tuning(config.tuning());
  }

  /** With the costs of the job; where nobody knows any, with what its links do. */
  private Tuning tuning(Tuning configured) {
    CostModel costs = membership.costs();
    LinkCosts link = membership.link();
    if (costs != null) {
      return configured.withCosts(costs);
    }
    return link == null || !configured.costs().equals(CostModel.ASSUMED)
        ? configured
        : configured.withCosts(CostModel.ASSUMED.withMeasuredLink(link));
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
    return attach(
        config,
        () -> Providers.engine(config.engineName(), config.setupDeadline(), System.getenv()));
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
      membership.health().breakUp("rank %d: %s".formatted(rank(), e));
      throw e;
    } catch (Exception e) {
      membership.health().breakUp("rank %d: %s".formatted(rank(), e));
      throw new IllegalStateException(e);
    }
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
    world.closeAtExit();
    return world;
  }

  /** A world of one rank, whatever started this process. */
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
    return membership.rank();
  }

  /** The number of ranks in the job. */
  public int size() {
    return membership.size();
  }

  /** How this world behaves. */
  public Config config() {
    return config;
  }

  /** What carries rows between ranks, with its version. */
  public String engineName() {
    return membership.engineName();
  }

  /** What multiplies. */
  public Kernel kernel() {
    return kernel;
  }

  /** What operators start from: the configuration's, with the costs of the job. */
  public Tuning tuning() {
    return tuning;
  }

  /** The kind of machine that this rank runs on: costs hold for all of a kind. */
  public String machineKey() {
    return MachineKey.of(kernel);
  }

  /** Packs weights for this world's kernel. Local; the source may be freed afterwards. */
  public PackedWeights pack(Matrix weights, WeightLayout layout) {
    return kernel.pack(weights, layout);
  }

  /** The same for weights of another type, which are rounded to it first. */
  public PackedWeights pack(Matrix weights, WeightLayout layout, DType type) {
    return membership.int8().pack(weights, layout, type);
  }

  /**
   * Packs weights of {@link DType#I8} with their scales, one for each output, in a row or column.
   */
  public PackedWeights pack(Matrix weights, Matrix scales, WeightLayout layout) {
    return membership.int8().pack(Int8Columns.of(weights, scales, layout));
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
    if (membership.health().isBroken()) {
      throw membership.health().broken();
    }
    List<int[]> parts =
        membership
            .agreement()
            .reach(
                "splitting the world",
                Map.of("groups", cut),
                () -> {
                  // An engine may block while it splits the world, and steps would stand still.
                  if (openGroups().stream().anyMatch(Group::hasOpenStep)) {
                    throw new IllegalStateException(
                        "a step is open: end it before the world is split");
                  }
                  return cut.resolve(size());
                });
    int color = ReplicaGroups.indexOf(rank(), parts);
    Group group = Group.form(this, membership.split(color), parts.get(color));
    synchronized (groups) {
      groups.add(group);
    }
    return group;
  }

  void forget(Group group) {
    synchronized (groups) {
      groups.remove(group);
    }
  }

  private List<Group> openGroups() {
    synchronized (groups) {
      return List.copyOf(groups);
    }
  }

  /** A process that is told to end finishes its steps and leaves the job. */
  private void closeAtExit() {
    membership
        .ending()
        .prepare(
            () -> openGroups().forEach(Group::finishLeading),
            () -> openGroups().stream().allMatch(Group::shut),
            this::close,
            config.deadline());
  }

  boolean isClosed() {
    return closed;
  }

  void checkOpen() {
    if (closed) {
      throw new IllegalStateException(membership.ending().reason("the world is closed"));
    }
  }

  Membership membership() {
    return membership;
  }

  @Override
  public String toString() {
    return "rank %d of %d".formatted(rank(), size());
  }

  /** Ends the job for all ranks at once. */
  public void abort(String reason) {
    membership.abort(reason);
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
   * @throws IllegalStateException if this thread works on a step, such as in its consumer
   */
  @Override
  public void close() {
    close(config.setupDeadline());
  }

  /** Like {@link #close()}, but waits at most so long for the others. */
  void close(Duration patience) {
    openGroups().forEach(Group::checkNotWorking);
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
      stages.add(membership.ending()::forget);
      mine.forEach(group -> stages.add(group::closeWorkspaces));
      stages.add(
          () ->
              membership
                  .departure()
                  .leave(
                      () -> mine.stream().map(Group::reason),
                      () -> mine.forEach(Group::unmap),
                      patience));
      Departure.runAll(stages);
    }
  }
}
