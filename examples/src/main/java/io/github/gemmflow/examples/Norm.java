// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples;

import io.github.gemmflow.AllGather;
import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.measure.Meeting;
import io.github.gemmflow.measure.record.RecordedStep;
import io.github.gemmflow.measure.record.Trace;
import io.github.gemmflow.tuning.Storage;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Work of one's own on rows as they arrive: a norm in plain Java, which is done while other rows
 * are on their way. It is timed against the same norm after the gather, interleaved.
 *
 * <p>{@code examples/run Norm} runs two ranks as threads, on two simulated hosts with links of 1
 * Gbit/s; {@code examples/run Norm trace.json} writes a step for {@code gemmflow report --trace}.
 */
final class Norm {
  private static final int RANKS = 2;
  private static final long ROWS = 1024;
  private static final int COLUMNS = 4096;
  private static final int ROUNDS = 9;
  private static final double GIGABIT = 1e9;

  private Norm() {}

  public static void main(String[] arguments) {
    LocalWorld.onHosts(0, 1)
        .links(GIGABIT, Duration.ofNanos(50_000))
        .run(world -> run(world, arguments.length > 0 ? Path.of(arguments[0]) : Path.of("")));
  }

  static void run(World world, Path trace) throws IOException {
    long all = RANKS * ROWS;
    try (Arena arena = Arena.ofShared();
        // All rows are read in one piece, too.
        Workspace space =
            Workspace.on(world.group())
                .rows(all)
                .columns(COLUMNS)
                .tuning(world.tuning().withStorage(Storage.GATHERED))
                .open();
        AllGather gather = AllGather.on(space).build();
        Meeting meeting = new Meeting(world)) {
      Matrix mine = Matrix.allocate(DType.F32, ROWS, COLUMNS, arena).fill(world.rank() + 1);
      Matrix normed = Matrix.allocate(DType.F32, all, COLUMNS, arena);
      float[][] buffers = new float[world.config().threads()][COLUMNS];

      // One after the other: all rows, then the norm.
      Consumer<Step> afterwards =
          step -> {
            step.run();
            norm(step.gathered(), normed, buffers[0]);
          };
      // Overlapped: the compute threads call this with every run of rows that has arrived.
      Consumer<Step> overlapped =
          step ->
              step.run(
                  (first, end, rows, thread) ->
                      norm(rows, normed.rows(first, end), buffers[thread]));

      List<Double> ratios = new ArrayList<>();
      for (int round = -2; round < ROUNDS; round++) {
        double before = millis(gather, mine, meeting, afterwards);
        double both = millis(gather, mine, meeting, overlapped);
        if (round >= 0) {
          ratios.add(before / both);
        }
        if (round == ROUNDS - 1 && world.rank() == 0) {
          Collections.sort(ratios);
          System.out.println(
              String.format(
                  Locale.ROOT,
                  "norm after the gather %.0f ms, while rows arrive %.0f ms; median of %d ratios %.2f",
                  before,
                  both,
                  ROUNDS,
                  ratios.get(ROUNDS / 2)));
        }
      }
      check(normed);
      RecordedStep recording =
          RecordedStep.of(world, space, () -> step(gather, mine, overlapped), meeting);
      if (world.rank() == 0 && !trace.toString().isEmpty()) {
        Files.writeString(trace, Trace.write(recording));
      }
    }
  }

  private static double millis(
      AllGather gather, Matrix mine, Meeting meeting, Consumer<Step> program) {
    meeting.meet();
    long begin = System.nanoTime();
    step(gather, mine, program);
    return (System.nanoTime() - begin) / 1e6;
  }

  private static void step(AllGather gather, Matrix mine, Consumer<Step> program) {
    try (Step step = gather.begin(RowCounts.equal(RANKS, ROWS))) {
      step.input().copyFrom(mine);
      program.accept(step);
    }
  }

  /** Scales each row to a mean square of 1. */
  private static void norm(Matrix from, Matrix to, float[] row) {
    for (long r = 0; r < from.rows(); r++) {
      from.getRow(r, row);
      double squares = 0;
      for (float x : row) {
        squares += x * x;
      }
      float factor = (float) (1 / Math.sqrt(squares / row.length));
      for (int i = 0; i < row.length; i++) {
        row[i] *= factor;
      }
      to.setRow(r, row);
    }
  }

  /** Every row was the same number, so that each element is 1 now. */
  private static void check(Matrix normed) {
    for (long row = 0; row < normed.rows(); row++) {
      if (Math.abs(normed.get(row, 0) - 1) > 1e-6
          || normed.get(row, COLUMNS - 1) != normed.get(row, 0)) {
        throw new IllegalStateException("row %d is wrong".formatted(row));
      }
    }
  }
}
