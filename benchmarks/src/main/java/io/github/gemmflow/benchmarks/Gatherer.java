// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks;

import io.github.gemmflow.AllGather;
import io.github.gemmflow.Group;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.measure.Counters;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A rank that gathers on demand, as {@code bare/allgather.c} does: for every line {@code name bytes
 * iterations} it answers with the nanoseconds that it took, and those that the communication thread
 * worked. The name says whether the result is read in place or copied out, and along what it is
 * gathered.
 */
public final class Gatherer implements AutoCloseable {
  /** Asks for results in place. */
  static final String IN_PLACE = "in-place";

  /** Asks for results that are copied out. */
  static final String COPIED = "copied";

  /** Comes before either, and asks for a gather along columns. */
  static final String ALONG_COLUMNS = "columns-";

  private static final long COLUMNS = 2048;

  private final Group group;
  private final Counters counters;
  private @Nullable Sized sized;

  private Gatherer(World world) {
    this.group = world.group();
    this.counters = new Counters(world.rank());
  }

  public static void main(String[] arguments) throws IOException {
    try (World world = World.join();
        Gatherer rank = new Gatherer(world)) {
      Commands.serve(Path.of(arguments[0]), Commands.NAME, world.rank(), rank::answer);
    }
  }

  private String answer(List<String> words) {
    long bytes = Long.parseLong(words.get(1));
    String name = words.get(0);
    boolean alongColumns = name.startsWith(ALONG_COLUMNS);
    Sized ready = sized;
    if (ready == null || ready.bytes != bytes || ready.alongColumns != alongColumns) {
      close();
      ready = new Sized(bytes, alongColumns);
      sized = ready;
    }
    return ready.time(name.endsWith(COPIED), Integer.parseInt(words.get(2)));
  }

  @Override
  public void close() {
    if (sized != null) {
      sized.close();
    }
  }

  /** An all-gather of so many bytes per rank. */
  private final class Sized implements AutoCloseable {
    private final long bytes;
    private final boolean alongColumns;
    private final Arena arena = Arena.ofShared();
    private final Workspace space;
    private final AllGather gather;
    private final RowCounts rows;
    private final Matrix all;

    Sized(long bytes, boolean alongColumns) {
      this.bytes = bytes;
      this.alongColumns = alongColumns;
      int ranks = group.size();
      long rowBytes = Math.min(bytes, COLUMNS * Float.BYTES);
      long width = rowBytes / Float.BYTES;
      long height = bytes / rowBytes;
      long allRows = alongColumns ? height : height * ranks;
      long columns = alongColumns ? width * ranks : width;
      rows = RowCounts.equal(ranks, height);
      space = Workspace.on(group).rows(allRows).columns(columns).open();
      gather = build(width);
      all = Matrix.allocate(DType.F32, allRows, columns, arena);
      for (int i = 0; i < 2; i++) {
        // Both rooms of the workspace are filled once; benchmarks gather what is there.
        try (Step step = gather.begin(rows)) {
          step.input().fill(group.rank());
          step.run(all);
        }
      }
    }

    private AllGather build(long width) {
      AllGather.Builder builder = AllGather.on(space);
      long[] widths = new long[group.size()];
      Arrays.fill(widths, width);
      return (alongColumns ? builder.columnsPerRank(widths) : builder.columns(width)).build();
    }

    String time(boolean copied, int iterations) {
      step(copied);
      long cpu = counters.commThreadNanos();
      long start = System.nanoTime();
      for (int i = 0; i < iterations; i++) {
        step(copied);
      }
      long nanos = System.nanoTime() - start;
      return nanos + " " + (counters.commThreadNanos() - cpu);
    }

    private void step(boolean copied) {
      try (Step step = gather.begin(rows)) {
        if (copied) {
          step.run(all);
        } else {
          step.run();
        }
      }
    }

    @Override
    public void close() {
      gather.close();
      space.close();
      arena.close();
    }
  }
}
