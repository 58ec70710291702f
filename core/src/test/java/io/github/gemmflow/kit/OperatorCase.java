// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kit;

import io.github.gemmflow.AllGather;
import io.github.gemmflow.AllGatherMatmul;
import io.github.gemmflow.GatherOperator;
import io.github.gemmflow.Group;
import io.github.gemmflow.ReplicaGroups;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.RunHandle;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.kernel.Activation;
import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.RowConsumer;
import io.github.gemmflow.tuning.Explanation;
import io.github.gemmflow.tuning.Tuning;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;

/**
 * A random program of operators, drawn from a seed, that every rank of a world runs and whose
 * results every rank checks for itself: replica groups, operators of different width on one
 * workspace, gathered along rows or columns, in one piece or streamed, row counts that change at
 * every step, outputs full of NaN before, or a consumer instead of them; and sums over the ranks in
 * between.
 */
public final class OperatorCase {
  private final World world;
  private final long seed;
  private final List<String> ways = new ArrayList<>();

  private OperatorCase(World world, long seed) {
    this.world = world;
    this.seed = seed;
  }

  /**
   * Runs the case of a seed. Collective over all ranks of the world.
   *
   * @return the ways that this rank's steps took: schedule, path and axis
   */
  public static List<String> run(World world, long seed) {
    return new OperatorCase(world, seed).run();
  }

  /** Runs the case of a seed in a group, beside whatever other groups do. Collective over it. */
  public static void run(World world, Group group, long seed) {
    new OperatorCase(world, seed).runGroup(group, new Draw(seed));
  }

  private List<String> run() {
    Draw shared = new Draw(seed);
    Group group = world.split(cut(shared, world.size()));
    // Groups of one world do different things at the same time.
    byte[] leader = group.broadcast(0, group.rank() == 0 ? new byte[] {(byte) world.rank()} : null);
    runGroup(group, new Draw(seed * 31 + leader[0]));
    return ways;
  }

  private static ReplicaGroups cut(Draw draw, int ranks) {
    List<Integer> divisors =
        IntStream.rangeClosed(1, ranks).filter(d -> ranks % d == 0).boxed().toList();
    int size = draw.chance(0.7) ? ranks : draw.oneOf(divisors);
    if (size == ranks && ranks > 2 && draw.chance(0.2)) {
      int border = 1 + draw.below(ranks - 1);
      return ReplicaGroups.of(
          IntStream.range(0, border).toArray(), IntStream.range(border, ranks).toArray());
    }
    return draw.chance(0.5) ? ReplicaGroups.ofSize(size) : ReplicaGroups.stridedOfSize(size);
  }

  private void runGroup(Group group, Draw draw) {
    long maxRows = draw.size() * (draw.chance(0.5) ? 1L : group.size());
    long maxColumns = draw.size();
    DType type = draw.chance(0.2) ? DType.I8 : draw.type();
    Tuning room = draw.room(maxRows);
    try (Arena arena = Arena.ofConfined();
        Workspace space =
            Workspace.on(group).rows(maxRows).columns(maxColumns).type(type).tuning(room).open()) {
      List<Built> operators = new ArrayList<>();
      List<SumCase> sums = new ArrayList<>();
      int count = 1 + draw.below(3);
      for (int i = 0; i < count; i++) {
        long columns = draw.chance(0.5) ? maxColumns : draw.below((int) maxColumns + 1);
        Tuning tuning = draw.tuning(maxRows, room);
        // Rows of int8 only come whole.
        Way way =
            type.isReal() ? Way.draw(draw, group.size(), columns, tuning) : Way.alongRows(tuning);
        operators.add(build(space, draw, columns, way, i, arena));
        Tuning ofSums = draw.sumTuning(maxRows);
        sums.add(new SumCase(world, space, group, draw, ofSums, seed * 17 + i));
      }
      int steps = 2 + draw.below(10);
      for (int i = 0; i < steps; i++) {
        if (draw.chance(0.5)) {
          SumCase sum = draw.oneOf(sums);
          ways.add(sum.way());
          long[] rows = draw.rows(group.size(), maxRows);
          sum.step(rows, draw.chance(0.3), draw.chance(0.2), seed * 1000 + i);
          continue;
        }
        Built built = draw.oneOf(operators);
        Explanation plan = built.operator.explain();
        String axis = built.way.isAlongColumns() ? "columns" : "rows";
        ways.add("%s %s along %s".formatted(plan.choice("schedule"), plan.choice("storage"), axis));
        long[] rows = draw.rows(group.size(), maxRows);
        runStep(built, rows, draw.chance(0.3), draw.chance(0.2), seed * 1000 + i, group.rank());
      }
      operators.forEach(o -> o.operator.close());
      sums.forEach(SumCase::close);
    }
  }

  /**
   * A weight matrix of this rank.
   *
   * @param seed of its elements, and of the bias
   * @param finished whether a bias is added, and ReLU applied
   */
  private record Weight(long seed, long width, boolean finished) {
    Epilogue epilogue(Arena arena) {
      return finished
          ? Epilogue.of(Activation.RELU)
              .withBias(Exact.matrix(DType.F32, 1, width, seed + 1, arena))
          : Epilogue.NONE;
    }

    long finish(long sum, long column) {
      return finished ? Math.max(0, sum + Exact.value(seed + 1, 0, column)) : sum;
    }
  }

  /** An operator and this rank's weights; none for an all-gather. */
  private record Built(
      GatherOperator operator,
      long columns,
      List<Weight> weights,
      DType output,
      boolean gathered,
      Way way) {}

  private Built build(Workspace space, Draw draw, long columns, Way way, int number, Arena arena) {
    boolean plain = draw.chance(0.25) && space.type().isReal();
    boolean gathered = draw.chance(0.3) && !way.isStreamed();
    DType shorter = space.type().isReal() ? space.type() : draw.type();
    DType output = draw.chance(0.5) ? DType.F32 : shorter;
    if (plain) {
      AllGather gather = way.on(AllGather.on(space), columns).build();
      return new Built(gather, columns, List.of(), space.type(), !way.isStreamed(), way);
    }
    // Number and width of the weights are each rank's own business.
    Draw own = new Draw(seed * 77 + world.rank() * 1000L + number);
    int count = 1 + own.below(3);
    List<Weight> weights = new ArrayList<>();
    PackedWeights[] packed = new PackedWeights[count];
    for (int i = 0; i < count; i++) {
      long weightSeed = seed * 13 + world.rank() * 100L + number * 10L + i;
      Weight weight = new Weight(weightSeed, own.size(), own.chance(0.3));
      weights.add(weight);
      packed[i] = pack(own.chance(0.5), space.type(), columns, weight, arena);
    }
    AllGatherMatmul.Builder builder = way.on(AllGatherMatmul.on(space).outputType(output));
    for (int i = 0; i < count; i++) {
      builder.output(packed[i], weights.get(i).epilogue(arena));
    }
    AllGatherMatmul operator = (gathered ? builder.keepGathered() : builder).build();
    for (PackedWeights one : packed) {
      one.close();
    }
    return new Built(operator, columns, weights, output, gathered, way);
  }

  private PackedWeights pack(boolean outIn, DType type, long k, Weight weight, Arena arena) {
    Matrix inOut = Exact.matrix(type, k, weight.width, weight.seed, arena);
    if (!type.isReal()) {
      Matrix ones = Matrix.allocate(DType.F32, 1, weight.width, arena).fill(1);
      return outIn
          ? world.pack(Exact.transposed(inOut, arena), ones, WeightLayout.OUT_IN)
          : world.pack(inOut, ones, WeightLayout.IN_OUT);
    }
    return outIn
        ? world.pack(Exact.transposed(inOut, arena), WeightLayout.OUT_IN)
        : world.pack(inOut, WeightLayout.IN_OUT);
  }

  private static void runStep(
      Built built, long[] rows, boolean onlyOwnRows, boolean started, long aSeed, int rank) {
    try (Arena arena = Arena.ofShared();
        Step step =
            onlyOwnRows && !built.way.isAlongColumns()
                ? built.operator.begin(RowCounts.mine(rows[rank]))
                : built.way.begin(built.operator, rows)) {
      built.way.fill(step, aSeed, rank);
      if (built.weights.isEmpty() && aSeed % 3 == 0) {
        consume(step, started, aSeed);
        return;
      }
      Matrix[] outputs = outputs(built, step.rows(), arena);
      if (started) {
        RunHandle handle = step.start(outputs);
        awaitSome(built, step, handle, outputs, aSeed);
        handle.await();
      } else {
        step.run(outputs);
      }
      for (int i = 0; i < built.weights.size(); i++) {
        Weight weight = built.weights.get(i);
        Exact.checkProduct(outputs[i], aSeed, weight.seed, built.columns, weight::finish);
      }
      if (built.weights.isEmpty() && outputs.length > 0) {
        Exact.check(outputs[0], aSeed);
      }
      if (built.gathered) {
        Exact.check(step.gathered(), aSeed);
      }
    }
  }

  /** Every row comes once, and is right. */
  private static void consume(Step step, boolean started, long aSeed) {
    AtomicLongArray seen = new AtomicLongArray((int) step.rows());
    RowConsumer check =
        (first, end, rows, thread) -> {
          if (rows.rows() != end - first) {
            throw new AssertionError("%d rows for %d to %d".formatted(rows.rows(), first, end));
          }
          Exact.check(rows, aSeed, first);
          for (long row = first; row < end; row++) {
            seen.incrementAndGet((int) row);
          }
        };
    if (started) {
      step.start(check).await();
    } else {
      step.run(check);
    }
    for (int row = 0; row < seen.length(); row++) {
      if (seen.get(row) != 1) {
        throw new AssertionError("row %d came %d times".formatted(row, seen.get(row)));
      }
    }
  }

  /** What was waited for is there, whatever else is not. */
  private static void awaitSome(
      Built built, Step step, RunHandle handle, Matrix[] outputs, long aSeed) {
    long first = step.rows() / 3;
    long end = step.rows() - step.rows() / 4;
    handle.awaitRows(first, end);
    if (built.gathered) {
      Exact.check(step.gathered(first, end), aSeed, first);
    }
    if (built.weights.isEmpty() && outputs.length > 0) {
      Exact.check(outputs[0].rows(first, end), aSeed, first);
    }
    for (int i = 0; i < built.weights.size(); i++) {
      for (long row = first; row < end; row++) {
        if (outputs[i].columns() > 0 && Float.isNaN(outputs[i].get(row, 0))) {
          throw new AssertionError("row %d of output %d is not there".formatted(row, i));
        }
      }
    }
  }

  private static Matrix[] outputs(Built built, long rows, Arena arena) {
    if (built.weights.isEmpty()) {
      return rows % 2 == 0 && built.gathered
          ? new Matrix[0]
          : new Matrix[] {output(built.output, rows, built.columns, arena)};
    }
    Matrix[] outputs = new Matrix[built.weights.size()];
    for (int i = 0; i < outputs.length; i++) {
      outputs[i] = output(built.output, rows, built.weights.get(i).width, arena);
    }
    return outputs;
  }

  /** All NaN; a matrix of its own, or a block of a wider one. */
  private static Matrix output(DType type, long rows, long columns, Arena arena) {
    long gap = rows % 3;
    return Matrix.allocate(type, rows, columns + gap, arena).fill(Float.NaN).columns(0, columns);
  }
}
