// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static java.lang.System.Logger.Level.WARNING;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.wire.RowTypes;
import io.github.gemmflow.matrix.wire.RowWriter;
import io.github.gemmflow.pipeline.Pipeline;
import io.github.gemmflow.pipeline.compute.ComputeThreads;
import io.github.gemmflow.pipeline.gather.GatherKind;
import io.github.gemmflow.pipeline.sum.SumKind;
import io.github.gemmflow.plan.Capacity;
import io.github.gemmflow.plan.GatherProblem;
import io.github.gemmflow.plan.Shape;
import io.github.gemmflow.plan.SumPlan;
import io.github.gemmflow.setup.Starter;
import io.github.gemmflow.trace.Recording;
import io.github.gemmflow.trace.Timeline;
import io.github.gemmflow.tuning.Tuning;
import io.github.gemmflow.window.Window;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntFunction;
import java.util.function.Supplier;
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
  private final RowTypes types;
  private final RowWriter writer;
  private final Tuning tuning;
  private final ComputeThreads computeThreads;
  private final Pipeline pipeline;

  /** The first is that of gathers; sums of each shape have one of their own. */
  private final List<Window> windows = new CopyOnWriteArrayList<>();

  private final Starter starter;
  private int operators;

  /** Operators that are not closed yet. */
  private final Set<Operator> open = ConcurrentHashMap.newKeySet();

  private final Object closing = new Object();
  private volatile boolean closed;

  Workspace(Builder b, Capacity capacity, int firstTag, Window window) {
    this.group = b.group;
    this.capacity = capacity;
    this.maxColumns = b.columns;
    this.types = b.types();
    this.writer = new RowWriter(Math.toIntExact(types.wire().isReal() ? 0 : maxColumns));
    this.tuning = b.tuning;
    windows.add(window);
    World world = group.world();
    this.starter = new Starter("gemmflow-" + world.rank() + "-starter");
    this.computeThreads =
        new ComputeThreads(
            "gemmflow-" + world.rank(),
            threads(),
            world.membership().budget().spinNanos(),
            world.membership()::pinComputeThread,
            world.config().executor());
    try {
      this.pipeline =
          new Pipeline(
              group.members(),
              group.world().membership().ending(),
              window.memory(),
              capacity,
              computeThreads,
              group.world().membership().commThread(),
              group.channel(),
              firstTag);
    } catch (RuntimeException | Error e) {
      computeThreads.close();
      starter.close();
      throw e;
    }
  }

  /** Starts to open one for the operators of a group. */
  public static Builder on(Group group) {
    return new Builder(group);
  }

  /** Sets up a {@link Workspace}. */
  public static final class Builder {
    final Group group;
    long rows;
    long columns;
    DType type = DType.F32;
    private @Nullable DType wireType;
    Tuning tuning;

    private Builder(Group group) {
      this.group = group;
      this.tuning = group.world().tuning();
    }

    /** The most rows, over all ranks, that a step may have. */
    public Builder rows(long value) {
      rows = value;
      return this;
    }

    /** The most columns of A that a gather may have; none, unless set: sums need none. */
    public Builder columns(long value) {
      columns = value;
      return this;
    }

    /** The element type of A, and of what is multiplied; F32, unless set. */
    public Builder type(DType value) {
      type = value;
      return this;
    }

    /**
     * The type in which rows of A travel: that of A, unless set, or I8. Rows are then rounded, in
     * blocks of 128 columns with a scale each, and multiplied in the type of A: half the bytes of
     * BF16, a quarter of those of F32, for any processor. What rounding takes is said in the guide.
     */
    public Builder wireType(DType value) {
      wireType = value;
      return this;
    }

    RowTypes types() {
      return new RowTypes(type, wireType == null ? type : wireType);
    }

    /**
     * What operators start from; the configuration's with the job's costs, unless set. It also says
     * what there is room for: if its storage is streamed, shared memory does not depend on {@link
     * #rows}.
     */
    public Builder tuning(Tuning value) {
      tuning = value;
      return this;
    }

    /**
     * Opens it: room for steps of up to {@code rows x columns} in shared memory, twice per host,
     * unless all steps are to be streamed. Collective: all ranks agree, or all throw.
     */
    public Workspace open() {
      return group.open(this);
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
    return types.type();
  }

  RowTypes types() {
    return types;
  }

  @Override
  public String toString() {
    return "workspace of %d x %d %s".formatted(maxRows(), maxColumns, types);
  }

  /**
   * Writes down, from now on until what it returns is closed, what the threads of this rank do in
   * steps of this workspace. Local; called while no step is open.
   */
  public Recording record() {
    Timeline timeline = new Timeline(threads());
    pipeline.record(timeline);
    return new Recording(timeline, () -> pipeline.record(null));
  }

  /** What this workspace has done so far, on this rank. */
  public Stats stats() {
    long sharedBytes = windows.stream().mapToLong(w -> w.memory().byteSize()).sum();
    return Stats.of(pipeline.counts(), sharedBytes);
  }

  Group group() {
    return group;
  }

  Pipeline pipeline() {
    return pipeline;
  }

  /** What writes the input of a step; one is open at a time. */
  RowWriter writer() {
    return writer;
  }

  int threads() {
    return group.world().config().threads();
  }

  /** Makes something for the next operator, of which all ranks want the same. Collective. */
  <T> T agree(String name, Map<String, ?> wanted, Supplier<T> local) {
    checkOpen();
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("version", Version.TEXT);
    fields.put("operator", operators + " " + name);
    fields.putAll(wanted);
    return group.agreement().reach("building " + name, fields, local);
  }

  /**
   * Builds the next operator. Collective.
   *
   * @param make makes the operator of a number, the same on all ranks, or throws
   */
  <T extends Operator> T build(String name, Map<String, ?> wanted, IntFunction<T> make) {
    T built = agree(name, wanted, () -> make.apply(operators));
    // Only now: ranks that did not agree on an operator must not count it.
    operators++;
    open.add(built);
    return built;
  }

  void forget(Operator operator) {
    open.remove(operator);
  }

  /** What operators start from. */
  Tuning tuning() {
    return tuning;
  }

  boolean hasRoomForGathered() {
    return capacity.gathered();
  }

  /** The steps of gathering operators of a shape. */
  GatherKind gathers(Shape shape, boolean keepsGathered, Tuning tuned) {
    if (shape.isAlongColumns()) {
      types.checkAlongColumns();
    }
    long rowBytes = types.format(shape.columns()).bytes();
    GatherProblem problem = shape.problem(rowBytes, types.wire().bytes(), capacity);
    return pipeline.kinds().gathers(keepsGathered ? problem.keepingGathered() : problem, tuned);
  }

  /** The steps of summing operators of a plan. Collective. */
  SumKind sums(SumPlan plan) {
    return pipeline
        .kinds()
        .sums(
            plan,
            () -> {
              int host = group.hosts().hostOf(group.rank());
              Window room =
                  group.openWindow("allocating memory for sums", SumKind.bytes(plan, host));
              windows.add(room);
              return room.memory();
            });
  }

  /** The thread that runs steps for callers who do not want to wait. */
  Starter starter() {
    checkNotClosed();
    return starter;
  }

  void checkOpen() {
    checkNotClosed();
    group.checkOpen();
  }

  private void checkNotClosed() {
    if (closed) {
      throw new IllegalStateException(
          group.world().membership().ending().reason("the workspace is closed"));
    }
  }

  /**
   * Frees what this rank holds, as soon as all that it has to send was sent; operators that are
   * still open let go of their weights. Not collective.
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
        free(pipeline.close(this::unmap));
      }
    }
  }

  private void free(boolean clean) {
    closed = true;
    computeThreads.close();
    starter.close();
    open.forEach(Operator::closeIfIdle);
    group.forget(this);
    if (clean) {
      unmap();
    } else {
      LOG.log(
          WARNING,
          "rank {0}: the engine may still use memory of a closed workspace; it stays mapped until the engine answers, or the process ends",
          group.world().rank());
    }
  }

  private void unmap() {
    windows.forEach(Window::close);
  }

  void closeInAnyCase() {
    if (pipeline.breakOff()) {
      close();
    } else {
      closed = true;
      group.forget(this);
      LOG.log(
          WARNING,
          "rank {0}: a step is still running after its world was closed; its memory is freed when the process exits",
          group.world().rank());
    }
  }
}
