// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static java.lang.System.Logger.Level.WARNING;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.pipeline.Pipeline;
import io.github.gemmflow.pipeline.compute.ComputeThreads;
import io.github.gemmflow.pipeline.gather.GatherKind;
import io.github.gemmflow.pipeline.sum.SumKind;
import io.github.gemmflow.plan.Capacity;
import io.github.gemmflow.plan.Domains;
import io.github.gemmflow.plan.GatherPlan;
import io.github.gemmflow.plan.GatherProblem;
import io.github.gemmflow.plan.SumPlan;
import io.github.gemmflow.plan.Tuning;
import io.github.gemmflow.trace.Timeline;
import io.github.gemmflow.window.Window;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Resources that the operators of a group share: buffers for rows in shared memory, the counters in
 * it, and the threads that multiply. Any number of operators add nothing to it. One step may be
 * open in it at a time.
 */
public final class Workspace implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("io.github.gemmflow");

  private final Group group;
  private final Capacity capacity;
  private final long maxColumns;
  private final DType type;
  private final Tuning tuning;
  private final Window window;
  private final ComputeThreads computeThreads;
  private final Pipeline pipeline;
  private final Map<Object, GatherKind> gathers = new HashMap<>();
  private final Map<Object, SumKind> sums = new HashMap<>();
  private final List<Window> sumWindows = new ArrayList<>();
  private @Nullable Starter starter;
  private int operators;
  private final Object closing = new Object();
  private volatile boolean closed;

  private Workspace(
      Group group,
      Capacity capacity,
      long maxColumns,
      DType type,
      Tuning tuning,
      int firstTag,
      Window window) {
    this.group = group;
    this.capacity = capacity;
    this.maxColumns = maxColumns;
    this.type = type;
    this.tuning = tuning;
    this.window = window;
    World world = group.world();
    this.computeThreads =
        new ComputeThreads(
            "gemmflow-" + world.rank(), threads(), world.spinNanos(), world.config().executor());
    this.pipeline =
        new Pipeline(
            group.members(),
            group.world().ending(),
            window.memory(),
            capacity,
            computeThreads,
            group.world().commThread(),
            group.channel(),
            firstTag);
  }

  static Workspace open(
      Group group, long maxRows, long maxColumns, DType type, Tuning tuning, int firstTag) {
    Config config = group.world().config();
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("version", Version.TEXT);
    fields.put("maxRows", maxRows);
    fields.put("maxColumns", maxColumns);
    fields.put("type", type);
    fields.put("storage", tuning.storage() == null ? "by rule" : tuning.storage());
    fields.put("chunks", tuning.chunking());
    fields.put("slots", tuning.slots());
    fields.put("cache", tuning.cacheBytes());
    fields.put("deadline", config.deadline());
    fields.put("product deadline", config.productDeadline());
    fields.put("first tag", firstTag);
    Domains domains = group.domains();
    int domain = domains.domainOf(group.rank());
    Capacity capacity =
        group
            .agreement()
            .reach(
                "opening a workspace",
                fields,
                () -> capacity(maxRows, maxColumns, type, domains, tuning));
    Window window =
        SharedWindow.open(
            "opening a workspace",
            group.agreement(),
            domains,
            group.rank(),
            config.windowDirectory(),
            group.world().island(),
            Pipeline.bytes(domains, domain, capacity));
    try {
      return new Workspace(group, capacity, maxColumns, type, tuning, firstTag, window);
    } catch (RuntimeException | Error e) {
      // All ranks had agreed, and the others go on.
      group.members().breakUp("rank %d could not open a workspace: %s".formatted(group.rank(), e));
      window.close();
      throw e;
    }
  }

  private static Capacity capacity(
      long maxRows, long maxColumns, DType type, Domains domains, Tuning tuning) {
    if (maxRows < 0 || maxColumns < 0) {
      throw new IllegalArgumentException(
          "a workspace cannot hold %d x %d".formatted(maxRows, maxColumns));
    }
    try {
      long rowBytes = Math.multiplyExact(maxColumns, (long) type.bytes());
      long _ = Math.multiplyExact(maxRows, rowBytes);
      Capacity capacity = Capacity.of(maxRows, rowBytes, domains, tuning);
      for (int domain = 0; domain < domains.count(); domain++) {
        // Throws on overflow.
        Pipeline.bytes(domains, domain, capacity);
      }
      return capacity;
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "a workspace of %d x %d %s is larger than any memory"
              .formatted(maxRows, maxColumns, type),
          e);
    }
  }

  /** The most rows of A, over all ranks, that a step may have. */
  public long maxRows() {
    return capacity.maxRows();
  }

  /** The most columns of A that an operator may have. */
  public long maxColumns() {
    return maxColumns;
  }

  /** The element type of A. */
  public DType type() {
    return type;
  }

  @Override
  public String toString() {
    return "workspace of %d x %d %s".formatted(maxRows(), maxColumns, type);
  }

  /**
   * Writes down from now on what the threads of this rank do in steps of this workspace. Local;
   * called while no step is open.
   *
   * @param timeline for as many threads as the configuration says; null to end it
   */
  public void record(@Nullable Timeline timeline) {
    pipeline.record(timeline);
  }

  /** What this workspace has done so far, on this rank. */
  public Stats stats() {
    return new Stats(
        pipeline.steps(),
        pipeline.rowsSeen(),
        pipeline.runs(),
        pipeline.plainSteps(),
        pipeline.sleeps(),
        sharedBytes(),
        pipeline.ownBytes());
  }

  private long sharedBytes() {
    return window.memory().byteSize()
        + sumWindows.stream().mapToLong(w -> w.memory().byteSize()).sum();
  }

  Group group() {
    return group;
  }

  Pipeline pipeline() {
    return pipeline;
  }

  int threads() {
    return group.world().config().threads();
  }

  /** The number that the next operator has on all ranks, if they agree to build it. */
  int nextOperator() {
    return operators;
  }

  /** All ranks have agreed to build the next operator. */
  void countOperator() {
    operators++;
  }

  /** What operators start from. */
  Tuning tuning() {
    return tuning;
  }

  boolean hasRoomForGathered() {
    return capacity.gathered();
  }

  /** The steps of gathering operators of a shape; the same for equal shapes and tuning. */
  synchronized GatherKind gathers(Shape shape, boolean keepsGathered, Tuning tuned) {
    GatherProblem problem = shape.problem(type, capacity);
    GatherProblem wanted = keepsGathered ? problem.keepingGathered() : problem;
    return gathers.computeIfAbsent(
        Map.entry(wanted, tuned),
        key -> pipeline.gathers(GatherPlan.of(wanted, group.domains(), tuned)));
  }

  /**
   * Room for the sums of a plan: that of an operator of an equal plan, or a window of its own.
   * Collective.
   */
  SumKind sums(SumPlan plan) {
    Object key = Map.entry(plan.problem(), plan.tuning());
    SumKind known = sums.get(key);
    if (known != null) {
      return known;
    }
    int domain = group.domains().domainOf(group.rank());
    Window room =
        SharedWindow.open(
            "making room for sums",
            group.agreement(),
            group.domains(),
            group.rank(),
            group.world().config().windowDirectory(),
            group.world().island(),
            SumKind.bytes(plan, domain));
    SumKind kind = pipeline.sums(plan, room.memory());
    sumWindows.add(room);
    sums.put(key, kind);
    return kind;
  }

  /** The thread that runs steps for callers who do not want to wait. */
  synchronized Starter starter() {
    if (closed) {
      // A world may be closed by another thread at any moment, and nobody would end the thread.
      throw new IllegalStateException(group.world().ending().reason("the workspace is closed"));
    }
    if (starter == null) {
      starter = new Starter("gemmflow-" + group.world().rank() + "-starter");
    }
    return starter;
  }

  void checkOpen() {
    if (closed) {
      throw new IllegalStateException(group.world().ending().reason("the workspace is closed"));
    }
    group.checkOpen();
  }

  /**
   * Frees what this rank holds, as soon as all that it has to send was sent. Not collective.
   *
   * @throws IllegalStateException if a step is open
   */
  @Override
  public void close() {
    // Whoever comes second waits: a process that is told to end closes what its threads use.
    synchronized (closing) {
      if (closed) {
        return;
      }
      try {
        pipeline.verifyLast();
      } finally {
        free(pipeline.close());
      }
    }
  }

  private void free(boolean clean) {
    closed = true;
    computeThreads.close();
    synchronized (this) {
      if (starter != null) {
        starter.close();
      }
    }
    group.forget(this);
    if (clean) {
      window.close();
      sumWindows.forEach(Window::close);
    } else {
      LOG.log(
          WARNING,
          "rank {0}: a transfer could not be cancelled; its memory stays mapped until the process ends",
          group.world().rank());
    }
  }

  void closeInAnyCase() {
    pipeline.breakOff();
    close();
  }
}
