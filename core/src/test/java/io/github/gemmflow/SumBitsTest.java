// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Cases;
import io.github.gemmflow.kit.Chaos;
import io.github.gemmflow.kit.ChaosEngine;
import io.github.gemmflow.kit.Draw;
import io.github.gemmflow.kit.Reals;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.RowFormat;
import io.github.gemmflow.tuning.Overlap;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.SumPath;
import io.github.gemmflow.tuning.Tuning;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * For the same ranks in the same places, path, chunks, room, threads and arrival order never change
 * a bit of a sum; and no element is off by more than the documentation says.
 */
class SumBitsTest {
  private static final long[] ROWS = {13, 0, 29, 7, 1, 16};
  private static final long[] INPUTS = {20, 1, 0, 15, 7, 10};
  private static final int RANKS = ROWS.length;
  private static final long M = 66;
  private static final int K = 53;
  private static final int N = 167;
  private static final long[] CHUNK_ROWS = Cases.isSoak() ? new long[] {0, 1, 5} : new long[] {5};

  /** What is summed: scattered or not, and how it travels. */
  private record Kind(boolean scattered, DType type, DType wire) {}

  @ParameterizedTest
  @CsvSource({
    "0 0 0 0 0 0, BF16, F32",
    "0 0 0 1 1 1, F32, F32",
    "0 1 2 0 1 2, F16, BF16",
    "0 1 1 2 3 3, BF16, BF16",
    "0 1 2 2 3 0, F32, I8"
  })
  void hashIsTheSameWhateverTheWay(String placement, DType type, DType wire) {
    int[] hosts = Arrays.stream(placement.split(" ")).mapToInt(Integer::parseInt).toArray();
    for (boolean scattered : new boolean[] {true, false}) {
      Kind kind = new Kind(scattered, type, wire);
      String expected = hash(kind, hosts, Tuning.DEFAULT, 1, w -> w);
      for (long chunkRows : CHUNK_ROWS) {
        Tuning tuning = Tuning.DEFAULT.withChunkRows(chunkRows);
        int threads = 1 + (int) (chunkRows % 3);
        Tuning[] all = {
          tuning,
          tuning.withStorage(Storage.STREAMED).withSlots(1 + threads),
          tuning.withSums(SumPath.STAGED),
          tuning.withSums(SumPath.DIRECT).withStorage(Storage.STREAMED),
          tuning.withSums(SumPath.STAGED).withStorage(Storage.STREAMED).withSlots(threads),
          tuning.withOverlap(Overlap.SEQUENTIAL).withInFlight(1)
        };
        for (Tuning one : all) {
          assertEquals(expected, hash(kind, hosts, one, threads, w -> w), one::toString);
        }
      }
    }
  }

  @Test
  void hashIsTheSameForManyChaosSeeds() {
    int[] hosts = {0, 1, 1, 2, 0, 2};
    Map<Kind, String> expectedOf = new HashMap<>();
    for (long seed = 0; seed < Cases.shortOrSoak(20, 60); seed++) {
      Kind kind = new Kind(seed % 2 == 0, DType.BF16, seed % 3 == 0 ? DType.I8 : DType.F32);
      String expected =
          expectedOf.computeIfAbsent(kind, k -> hash(k, hosts, Tuning.DEFAULT, 1, w -> w));
      Draw draw = new Draw(seed);
      Chaos chaos = Chaos.delays(seed);
      assertEquals(
          expected,
          hash(
              kind,
              hosts,
              draw.sumTuning(M),
              1 + draw.below(3),
              w -> w.decorate(engine -> new ChaosEngine(engine, chaos))),
          "chaos seed " + seed);
    }
  }

  /** The hash of the whole sum: put together from all ranks, or the same on each. */
  private static String hash(
      Kind kind, int[] hosts, Tuning tuning, int threads, UnaryOperator<LocalWorld> shape) {
    try (Arena arena = Arena.ofShared()) {
      Matrix[] sums = new Matrix[RANKS];
      Config config = Config.builder().threads(threads).build();
      shape
          .apply(LocalWorld.onHosts(hosts).config(config))
          .run(world -> sums[world.rank()] = sum(world, kind, tuning, arena));
      Matrix whole = sums[0];
      if (kind.scattered) {
        whole = Matrix.allocate(DType.F32, M, N, arena);
        long row = 0;
        for (Matrix part : sums) {
          whole.rows(row, row + part.rows()).copyFrom(part);
          row += part.rows();
        }
      }
      checkBound(kind, hosts, whole, arena);
      String hash = hash(whole);
      for (int rank = 0; !kind.scattered && rank < RANKS; rank++) {
        assertEquals(hash, hash(sums[rank]), "the same for all ranks");
      }
      return hash;
    }
  }

  private static String hash(Matrix matrix) {
    try {
      byte[] bytes = matrix.memory().toArray(ValueLayout.JAVA_BYTE);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (java.security.NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static long firstInput(int rank) {
    return Arrays.stream(INPUTS, 0, rank).sum();
  }

  private static Matrix sum(World world, Kind kind, Tuning tuning, Arena arena) {
    int rank = world.rank();
    long first = firstInput(rank);
    Matrix a = a(kind, arena).columns(first, first + INPUTS[rank]);
    Matrix b = b(kind, arena).rows(first, first + INPUTS[rank]);
    Matrix c = Matrix.allocate(DType.F32, kind.scattered ? ROWS[rank] : M, N, arena);
    c.fill(Float.NaN);
    try (Workspace space = Workspace.on(world.group()).rows(M).type(kind.type).open();
        var weights = world.pack(b, WeightLayout.IN_OUT)) {
      if (kind.scattered) {
        try (var sum =
            MatmulReduceScatter.on(space)
                .weights(weights)
                .wireType(kind.wire)
                .tuning(tuning)
                .build()) {
          sum.run(RowCounts.known(ROWS), a, c);
        }
      } else {
        try (var sum =
            MatmulAllReduce.on(space).weights(weights).wireType(kind.wire).tuning(tuning).build()) {
          sum.run(a, c);
        }
      }
    }
    return c;
  }

  private static Matrix a(Kind kind, Arena arena) {
    return Reals.matrix(kind.type, M, K, 1, arena);
  }

  private static Matrix b(Kind kind, Arena arena) {
    return Reals.matrix(kind.type, K, N, 2, arena);
  }

  /**
   * {@code |C - AB| <= gamma |A||B|} element by element, with one addition more for each rank; and
   * what sums lose as they travel: as BF16 {@code 2^-8} of the magnitude of each host's, as I8
   * 1/253 of the largest magnitude in each host's block.
   */
  private static void checkBound(Kind kind, int[] hosts, Matrix c, Arena arena) {
    Matrix a = a(kind, arena);
    Matrix b = b(kind, arena);
    double unit = Math.scalb(1.0, -24);
    double gamma = (K + RANKS) * unit / (1 - (K + RANKS) * unit);
    int count = Arrays.stream(hosts).max().orElse(0) + 1;
    for (long i = 0; i < M; i++) {
      double[] largest = new double[count];
      double[][] ofHosts = new double[N][];
      for (int j = 0; j < N; j++) {
        ofHosts[j] = sumsOfHosts(hosts, count, i, j, a, b);
      }
      for (int j = 0; j < N; j++) {
        if (j % RowFormat.BLOCK == 0) {
          largest = largest(ofHosts, j, Math.min(N, j + RowFormat.BLOCK));
        }
        double size = 0;
        for (int k = 0; k < K; k++) {
          size += Math.abs((double) a.get(i, k) * b.get(k, j));
        }
        double lost =
            switch (kind.wire) {
              case BF16 -> 0x1p-8 * Arrays.stream(ofHosts[j]).map(Math::abs).sum();
              case I8 -> Arrays.stream(largest).sum() / 253;
              default -> 0;
            };
        double bound = gamma * size + lost * (1 + gamma);
        double error = Math.abs(c.get(i, j) - Arrays.stream(ofHosts[j]).sum());
        assertTrue(error <= bound, "%s: C[%d, %d] is off by %s".formatted(kind, i, j, error));
      }
    }
  }

  /** The largest magnitude in some columns, by host. */
  private static double[] largest(double[][] ofHosts, int begin, int end) {
    double[] largest = new double[ofHosts[0].length];
    for (int j = begin; j < end; j++) {
      for (int host = 0; host < largest.length; host++) {
        largest[host] = Math.max(largest[host], Math.abs(ofHosts[j][host]));
      }
    }
    return largest;
  }

  private static double[] sumsOfHosts(
      int[] hosts, int count, long row, long column, Matrix a, Matrix b) {
    double[] sums = new double[count];
    for (int rank = 0; rank < RANKS; rank++) {
      for (long k = firstInput(rank); k < firstInput(rank + 1); k++) {
        sums[hosts[rank]] += (double) a.get(row, k) * b.get(k, column);
      }
    }
    return sums;
  }
}
