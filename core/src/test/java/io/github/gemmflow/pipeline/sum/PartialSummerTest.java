// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.sum;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.gemmflow.kernel.Activation;
import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.wire.WireRows;
import io.github.gemmflow.pipeline.compute.RowWork;
import io.github.gemmflow.pipeline.step.HostMemory;
import io.github.gemmflow.plan.SumLayout;
import io.github.gemmflow.plan.SumPlan;
import io.github.gemmflow.plan.SumProblem;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Tuning;
import java.lang.foreign.Arena;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Numbers whose sum in F32 depends on the order: 1e8, -1e8 and 1 give 1, in another order 0. */
class PartialSummerTest {
  private static final int COLUMNS = 5;
  private static final float HUGE = 1e8f;
  private static final long[] ROWS = {6, 3, 5, 2};

  /** A number that BF16 does not hold; it becomes 1. */
  private static final float ROUNDED = 1.001f;

  private record Case(Hosts hosts, SumStep step, PartialSummer summer, TileRows tile) {}

  /** The first piece of the rows of rank 0, whose host adds them up. */
  private static Case begin(DType wire, int... hosts) {
    Hosts of = Hosts.of(hosts);
    long wireBytes = COLUMNS * (long) wire.bytes();
    SumPlan plan =
        SumPlan.of(
            new SumProblem(COLUMNS, wireBytes, true, 100),
            of,
            Tuning.DEFAULT.withChunkRows(4).withSlots(2));
    SumStep step = new SumMemory(plan, 0).begin(1, ROWS);
    TileRows tile = new TileRows();
    tile.atPiece(step.layout(), 0, 0, step.layout().piecePosition(0, 0, 0));
    return new Case(of, step, new PartialSummer(new HostMemory(of, 0).rank(0)), tile);
  }

  private static void part(Case of, int rank, float value) {
    SumMemory.fill(of.step.part(new Block(), rank, of.tile), value);
  }

  private static void received(Case of, int host, float value) {
    SumLayout layout = of.step.layout();
    int route = layout.route(host, 0);
    Block block = of.step.received(new Block(), route, of.tile.firstRow(), of.tile.rows());
    SumMemory.fill(block, value);
  }

  private static SumWork work(DType wire, Epilogue epilogue, boolean onto, Matrix output) {
    return new SumWork(RowWork.NONE, wire, epilogue, onto).bind(output, output);
  }

  private static Matrix output(Case of) {
    return Matrix.allocate(DType.F32, of.tile.rows(), COLUMNS, Arena.ofAuto());
  }

  private static float only(Matrix output) {
    return SumMemory.only(output.block(new Block(), 0, output.rows()));
  }

  @Test
  void ranksOfAHostAreAddedInRankOrder() {
    Case of = begin(DType.F32, 0, 0, 0, 1);
    part(of, 0, HUGE);
    part(of, 1, -HUGE);
    part(of, 2, 1);
    of.summer.addHost(of.step, DType.F32, of.tile);
    assertEquals(1, SumMemory.only(of.step.sum(new Block(), 0, of.tile)));
  }

  @Test
  void hostsAreAddedInTheirOrder() {
    Case of = begin(DType.F32, 0, 1, 2, 2);
    part(of, 0, HUGE);
    received(of, 1, -HUGE);
    received(of, 2, 1);
    Matrix output = output(of);
    of.summer.addAll(of.step, work(DType.F32, Epilogue.NONE, false, output), of.tile, 0);
    assertEquals(1, only(output));
  }

  /** A rank's own sum is not rounded where it stays; that of another host was. */
  @Test
  void sumsThatTravelAreRounded() {
    Case of = begin(DType.BF16, 0, 0, 1, 1);
    part(of, 0, ROUNDED);
    part(of, 1, 0);
    of.summer.addHost(of.step, DType.BF16, of.tile);
    Block sum = of.step.sum(new Block(), 0, of.tile);
    float[] values = new float[COLUMNS];
    new WireRows(2048).load(DType.BF16, sum.memory(), sum.offset(), 0, values, COLUMNS);
    assertEquals(1, values[0]);
    assertEquals(1, values[COLUMNS - 1]);
  }

  /** A total is the same on all hosts, so what its maker has is rounded like what others sent. */
  @Test
  void totalsAreOfRoundedSums() {
    Case of = begin(DType.BF16, 0, 0, 1, 1);
    part(of, 0, ROUNDED);
    part(of, 1, 0);
    int route = of.step.layout().route(1, 0);
    Block there = of.step.received(new Block(), route, of.tile.firstRow(), of.tile.rows());
    float[] two = new float[COLUMNS];
    Arrays.fill(two, 2);
    for (long row = 0; row < there.rows(); row++) {
      long at = there.offset() + row * there.stride();
      new WireRows(2048).store(DType.BF16, there.memory(), at, 0, two, COLUMNS);
    }
    of.summer.addTotal(of.step, DType.BF16, of.tile);
    assertEquals(3, SumMemory.only(of.step.part(new Block(), 0, of.tile)));
  }

  @Test
  void theEpilogueComesBeforeWhatTheOutputHolds() {
    Case of = begin(DType.F32, 0, 0, 1, 1);
    part(of, 0, -3);
    part(of, 1, 1);
    received(of, 1, 0);
    Matrix output = output(of);
    SumMemory.fill(output.block(new Block(), 0, output.rows()), 10);
    Epilogue relu = Epilogue.of(Activation.RELU);
    of.summer.addAll(of.step, work(DType.F32, relu, true, output), of.tile, 0);
    assertEquals(10, only(output), "relu(-2) + 10");
    of.summer.addAll(of.step, work(DType.F32, relu, false, output), of.tile, 0);
    assertEquals(0, only(output));
  }
}
