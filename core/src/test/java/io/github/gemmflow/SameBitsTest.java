// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Cases;
import io.github.gemmflow.kit.Chaos;
import io.github.gemmflow.kit.ChaosEngine;
import io.github.gemmflow.kit.Draw;
import io.github.gemmflow.kit.Reals;
import io.github.gemmflow.kit.Way;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Schedule, storage, axis, chunks, placement, threads and arrival order never change a bit of C.
 */
class SameBitsTest {
  private static final long[] ROWS = {13, 0, 29, 7, 1, 16};
  private static final int RANKS = ROWS.length;
  private static final long M = 66;
  private static final int K = 53;
  private static final int N = 131;
  private static final long[] CHUNK_ROWS = Cases.isSoak() ? new long[] {0, 1, 5} : new long[] {5};
  private static final List<Long> COLUMNS = List.of(20L, 1L, 0L, 15L, 7L, 10L);

  /** Products that were compared with the bound: the same bits need not be compared again. */
  private static final Set<String> CHECKED = ConcurrentHashMap.newKeySet();

  @ParameterizedTest
  @EnumSource(DType.class)
  void hashIsTheSameWhateverTheWay(DType type) {
    String expected = hash(type, new int[RANKS], Way.alongRows(Tuning.DEFAULT), 1, w -> w);
    int[][] placements = {{0, 0, 0, 1, 1, 1}, {0, 1, 2, 0, 1, 2}, {0, 1, 1, 2, 3, 3}};
    for (int[] hosts : placements) {
      for (Schedule schedule : Schedule.ALL) {
        for (long chunkRows : CHUNK_ROWS) {
          Tuning tuning = Tuning.DEFAULT.withSchedule(schedule).withChunkRows(chunkRows);
          int threads = 1 + (int) (chunkRows % 3);
          for (Storage storage : Storage.values()) {
            List<List<Long>> axes =
                type.isReal() ? List.of(List.of(), COLUMNS) : List.of(List.of());
            for (List<Long> columnsPerRank : axes) {
              Way way = new Way(tuning.withStorage(storage), columnsPerRank);
              assertEquals(
                  expected,
                  hash(type, hosts, way, threads, w -> w),
                  () -> way + " with " + threads + " threads");
            }
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BF16", "I8"})
  void hashIsTheSameForManyChaosSeeds(DType type) {
    String expected = hash(type, new int[RANKS], Way.alongRows(Tuning.DEFAULT), 1, w -> w);
    for (long seed = 0; seed < Cases.shortOrSoak(20, 60); seed++) {
      Draw draw = new Draw(seed);
      Chaos chaos = Chaos.delays(seed);
      Way way = Way.draw(draw, RANKS, K, draw.room(M));
      assertEquals(
          expected,
          hash(
              type,
              draw.hosts(RANKS),
              type.isReal() ? way : Way.alongRows(way.tuning()),
              1 + draw.below(3),
              w -> w.decorate(engine -> new ChaosEngine(engine, chaos))),
          "chaos seed " + seed);
    }
  }

  /** Runs the product and returns the hash of C, which must be the same on all ranks. */
  private static String hash(
      DType type, int[] hosts, Way way, int threads, UnaryOperator<LocalWorld> shape) {
    String[] hashes = new String[RANKS];
    Config config = Config.builder().threads(threads).build();
    shape
        .apply(LocalWorld.onHosts(hosts).config(config))
        .run(world -> hashes[world.rank()] = product(world, type, way));
    for (String hash : hashes) {
      assertEquals(hashes[0], hash);
    }
    return hashes[0];
  }

  private static String product(World world, DType type, Way way) throws Exception {
    try (Arena arena = Arena.ofShared();
        Workspace space =
            Workspace.on(world.group()).rows(M).columns(K).type(type).tuning(way.tuning()).open()) {
      DType given = type.isReal() ? type : DType.F32;
      Matrix a = Reals.matrix(given, M, K, 1, arena);
      Matrix b = Reals.matrix(given, K, N, 2, arena);
      Matrix c = Matrix.allocate(DType.F32, M, N, arena).fill(Float.NaN);
      try (var weights = world.pack(b, WeightLayout.IN_OUT, type);
          var product = way.on(AllGatherMatmul.on(space).output(weights)).build();
          Step step = way.begin(product, ROWS)) {
        Matrix input = step.input();
        long column = way.firstColumn(world.rank());
        step.write(
            a.rows(step.firstRow(), step.firstRow() + input.rows())
                .columns(column, column + input.columns()));
        step.run(c);
      }
      byte[] bytes = c.memory().toArray(ValueLayout.JAVA_BYTE);
      String hash = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
      if (CHECKED.add(hash)) {
        checkBound(type, a, b, c);
      }
      return hash;
    }
  }

  /**
   * {@code |C - AB| <= gamma_K |A||B|} element by element, with the unit roundoff of float; and
   * what the rounding of rows and columns to int8 does, each element by at most half its scale.
   */
  private static void checkBound(DType type, Matrix a, Matrix b, Matrix c) {
    double unit = Math.scalb(1.0, -24);
    double gamma = K * unit / (1 - K * unit);
    for (long i = 0; i < M; i++) {
      double aStep = type.isReal() ? 0 : largest(a.rows(i, i + 1)) / 127;
      for (long j = 0; j < N; j++) {
        double bStep = type.isReal() ? 0 : largest(b.columns(j, j + 1)) / 127;
        double sum = 0;
        double size = 0;
        double rounded = 0;
        for (long k = 0; k < K; k++) {
          double term = (double) a.get(i, k) * b.get(k, j);
          sum += term;
          size += Math.abs(term);
          rounded +=
              Math.abs(a.get(i, k)) * bStep / 2
                  + Math.abs(b.get(k, j)) * aStep / 2
                  + aStep * bStep / 4;
        }
        double error = Math.abs(c.get(i, j) - sum);
        double allowed = gamma * size + rounded * (1 + 1e-5);
        if (!(error <= allowed)) {
          throw new AssertionError(
              "C[%d, %d] is off by %s, not %s".formatted(i, j, error, allowed));
        }
      }
    }
  }

  private static double largest(Matrix matrix) {
    double largest = 0;
    for (float value : matrix.toFloats()) {
      largest = Math.max(largest, Math.abs(value));
    }
    return largest;
  }
}
