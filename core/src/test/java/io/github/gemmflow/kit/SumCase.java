// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kit;

import io.github.gemmflow.AllReduce;
import io.github.gemmflow.Group;
import io.github.gemmflow.MatmulAllReduce;
import io.github.gemmflow.MatmulReduceScatter;
import io.github.gemmflow.MatmulSumBuilder;
import io.github.gemmflow.Operator;
import io.github.gemmflow.ReduceScatter;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.SumBuilder;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.RowFormat;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Tuning;
import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * A random summing operator whose addends every rank can compute for all ranks, so that each checks
 * its sums for itself: scattered or for all, of products or of rows as they are, with bias and
 * residual, in F32, BF16 or int8 between hosts. For products in int8 each row has a 127, so that it
 * is rounded to itself.
 */
final class SumCase {
  private final Group group;
  private final long seed;
  private final boolean scattered;
  private final boolean isProduct;
  private final boolean isInt8;
  private final long columns;
  private final long[] inputs;
  private final DType type;
  private final DType output;
  private final DType wire;
  private final boolean hasBias;
  private final boolean isOnto;
  private final Operator operator;

  SumCase(World world, Workspace space, Group group, Draw draw, Tuning tuning, long seed) {
    this.group = group;
    this.seed = seed;
    this.scattered = draw.chance(0.6);
    this.isProduct = draw.chance(0.7);
    this.columns = draw.size();
    this.inputs = new long[group.size()];
    Arrays.setAll(inputs, rank -> isProduct ? draw.size() : columns);
    this.isInt8 = isProduct && (!space.type().isReal() || draw.chance(0.2));
    this.type = isProduct && !isInt8 ? space.type() : draw.type();
    this.output = isProduct && draw.chance(0.5) ? DType.F32 : type;
    DType shorter = columns == 1 || draw.chance(0.5) ? DType.BF16 : DType.I8;
    this.wire = draw.chance(0.6) ? DType.F32 : shorter;
    this.hasBias = isProduct && draw.chance(0.4);
    this.isOnto = isProduct && draw.chance(0.4);
    this.operator = isProduct ? product(world, space, tuning) : plain(space, tuning);
  }

  private Operator product(World world, Workspace space, Tuning tuning) {
    int rank = group.rank();
    try (Arena arena = Arena.ofConfined();
        PackedWeights weights = pack(world, rank, arena)) {
      return scattered
          ? build(MatmulReduceScatter.on(space), weights, tuning, arena)
          : build(MatmulAllReduce.on(space), weights, tuning, arena);
    }
  }

  private PackedWeights pack(World world, int rank, Arena arena) {
    DType packed = isInt8 ? DType.I8 : type;
    Matrix values = Exact.matrix(packed, inputs[rank], columns, weightSeed(rank), arena);
    Matrix ones = Matrix.allocate(DType.F32, 1, columns, arena).fill(1);
    return isInt8
        ? world.pack(values, ones, WeightLayout.IN_OUT)
        : world.pack(values, WeightLayout.IN_OUT);
  }

  private Operator build(
      MatmulSumBuilder<? extends Operator> builder,
      PackedWeights weights,
      Tuning tuning,
      Arena arena) {
    builder.weights(weights).outputType(output).wireType(wire).tuning(tuning);
    if (isInt8) {
      builder.inputType(type);
    }
    if (hasBias) {
      builder.epilogue(Epilogue.bias(Exact.matrix(DType.F32, 1, columns, seed + 1, arena)));
    }
    return (isOnto ? builder.addToOutput() : builder).build();
  }

  private Operator plain(Workspace space, Tuning tuning) {
    SumBuilder<? extends Operator> builder =
        scattered ? ReduceScatter.on(space) : AllReduce.on(space);
    return builder.columns(columns).type(type).wireType(wire).tuning(tuning).build();
  }

  /** What it is, for a tally. */
  String way() {
    boolean waits = operator.explain().choice("room").matches("for [12] tiles");
    return "sum %s with room for %s tiles"
        .formatted(scattered ? "scattered" : "for all", waits ? "few" : "many");
  }

  private long weightSeed(int rank) {
    return seed * 7 + 100 + rank;
  }

  /** Runs a step and checks this rank's sums. Collective. */
  void step(long[] rows, boolean onlyOwnRows, boolean started, long aSeed) {
    int rank = group.rank();
    long total = Arrays.stream(rows).sum();
    long first = scattered ? Arrays.stream(rows, 0, rank).sum() : 0;
    long mine = scattered ? rows[rank] : total;
    try (Arena arena = Arena.ofShared()) {
      Matrix a = Matrix.allocate(type, total, inputs[rank] + rank % 2, arena);
      a = a.columns(0, inputs[rank]);
      Exact.fill(a, inputSeed(aSeed, rank), 0);
      for (long row = 0; isInt8 && row < total && inputs[rank] > 0; row++) {
        a.set(row, 0, value(0, row, 0));
      }
      Matrix c = Matrix.allocate(output, mine, columns + total % 3, arena).columns(0, columns);
      c.fill(Float.NaN);
      if (isOnto) {
        Exact.fill(c, aSeed - 1, first);
      }
      run(rows, onlyOwnRows, started, a, c);
      check(c, first, aSeed);
    }
  }

  /** An element of A. */
  private int value(long from, long row, int column) {
    return isInt8 && column == 0 ? DType.LARGEST_INT8 : Exact.value(from, row, column);
  }

  private static long inputSeed(long aSeed, int rank) {
    return aSeed * 31 + rank;
  }

  private void run(long[] rows, boolean onlyOwnRows, boolean started, Matrix a, Matrix c) {
    RowCounts known = RowCounts.known(scattered ? rows : counts(c.rows()));
    if (started && onlyOwnRows) {
      operator.start(a, c).await();
    } else if (started) {
      operator.start(known, a, c).await();
    } else if (scattered || isProduct) {
      runOn(onlyOwnRows, known, a, c);
    } else {
      // In place.
      runOn(onlyOwnRows, known, a, a);
      c.copyFrom(a);
    }
  }

  private void runOn(boolean onlyOwnRows, RowCounts known, Matrix a, Matrix c) {
    if (onlyOwnRows) {
      operator.run(a, c);
    } else {
      operator.run(known, a, c);
    }
  }

  private long[] counts(long each) {
    long[] counts = new long[group.size()];
    Arrays.fill(counts, each);
    return counts;
  }

  private void check(Matrix c, long first, long aSeed) {
    Hosts hosts = group.hosts();
    long[][] weights = new long[inputs.length][];
    for (int rank = 0; rank < inputs.length; rank++) {
      weights[rank] = weights(rank);
    }
    for (long row = 0; row < c.rows(); row++) {
      float[] expected = new float[(int) columns];
      for (int host = 0; host < hosts.count(); host++) {
        long[] sums = new long[(int) columns];
        for (int i = 0; i < hosts.size(host); i++) {
          add(sums, hosts.member(host, i), weights, first + row, aSeed);
        }
        boolean travels = scattered ? host != hosts.hostOf(group.rank()) : hosts.count() > 1;
        for (int j = 0; j < columns; j++) {
          expected[j] += travels ? rounded(sums, j) : (float) sums[j];
        }
      }
      for (int j = 0; j < columns; j++) {
        float bias = hasBias ? Exact.value(seed + 1, 0, j) : 0;
        float residual = isOnto ? output.round(Exact.value(aSeed - 1, first + row, j)) : 0;
        Exact.compare("sum", row, j, output.round(expected[j] + bias + residual), c.get(row, j));
      }
    }
  }

  /** An element of a host's sum as it arrives elsewhere. */
  private float rounded(long[] sums, int column) {
    if (wire.isReal()) {
      return wire.round((float) sums[column]);
    }
    int block = column - column % RowFormat.BLOCK;
    float largest = 0;
    for (int j = block; j < Math.min(sums.length, block + RowFormat.BLOCK); j++) {
      largest = Math.max(largest, Math.abs((float) sums[j]));
    }
    return largest == 0 ? 0 : (float) Math.rint(sums[column] * (127 / largest)) * (largest / 127);
  }

  private long[] weights(int rank) {
    if (!isProduct) {
      return new long[0];
    }
    long[] values = new long[(int) (inputs[rank] * columns)];
    for (int i = 0; i < values.length; i++) {
      values[i] = Exact.value(weightSeed(rank), i / columns, i % columns);
    }
    return values;
  }

  private void add(long[] sums, int rank, long[][] weights, long row, long aSeed) {
    long from = inputSeed(aSeed, rank);
    for (int i = 0; i < inputs[rank]; i++) {
      int a = value(from, row, i);
      if (!isProduct) {
        sums[i] += a;
      }
      for (int j = 0; isProduct && j < columns; j++) {
        sums[j] += a * weights[rank][(int) (i * columns + j)];
      }
    }
  }

  void close() {
    operator.close();
  }
}
