// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system.ranks;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.github.gemmflow.mpi.binding.Mpi;
import io.github.gemmflow.mpi.binding.Requests;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A program on MPI without operators: every rank gives its number to the next. */
public final class BindingAlone {
  private BindingAlone() {}

  public static void main(String[] arguments) {
    Mpi mpi = Mpi.load();
    mpi.init(Mpi.ThreadLevel.FUNNELED);
    Report.run("a ring of ranks", () -> pass(mpi));
    mpi.finish();
  }

  private static void pass(Mpi mpi) {
    long world = mpi.world();
    int rank = mpi.rank(world);
    int size = mpi.size(world);
    int before = (rank + size - 1) % size;
    try (Arena arena = Arena.ofConfined();
        Requests requests = mpi.newRequests()) {
      MemorySegment mine = arena.allocateFrom(JAVA_INT, rank);
      MemorySegment theirs = arena.allocate(JAVA_INT);
      requests.add(mpi.irecv(theirs, Integer.BYTES, mpi.byteType(), before, 0, world));
      requests.add(mpi.isend(mine, Integer.BYTES, mpi.byteType(), (rank + 1) % size, 0, world));
      for (int done = 0; done < 2; done += requests.testSome()) {
        Thread.onSpinWait();
      }
      Report.check(theirs.get(JAVA_INT, 0) == before, "got " + theirs.get(JAVA_INT, 0));
    }
  }
}
