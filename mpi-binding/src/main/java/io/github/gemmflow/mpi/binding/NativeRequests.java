// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi.binding;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** An array of requests in native memory; places without a request hold the null request. */
final class NativeRequests implements Requests {
  private final NativeMpi mpi;
  private final MemorySegment number = Arena.global().allocate(JAVA_INT);
  private Arena arena = Arena.ofShared();
  private MemorySegment requests = MemorySegment.NULL;
  private MemorySegment indices = MemorySegment.NULL;
  private MemorySegment statuses = MemorySegment.NULL;
  private MemorySegment[] statusOf = {};
  private int[] free = {};
  private int freeCount;
  private int capacity;
  private int code;
  private int done;

  NativeRequests(NativeMpi mpi) {
    this.mpi = mpi;
    grow(16);
  }

  private void grow(int newCapacity) {
    Arena newArena = Arena.ofShared();
    long width = mpi.abi().handleBytes();
    long statusBytes = mpi.abi().status().bytes();
    MemorySegment newRequests = grown(requests, newArena, newCapacity, width);
    free = Arrays.copyOf(free, newCapacity);
    for (int place = newCapacity - 1; place >= capacity; place--) {
      mpi.setHandle(newRequests, place, mpi.handles().requestNull());
      free[freeCount++] = place;
    }
    requests = newRequests;
    indices = grown(indices, newArena, newCapacity, Integer.BYTES);
    statuses = grown(statuses, newArena, newCapacity, statusBytes);
    statusOf = new MemorySegment[newCapacity];
    Arrays.setAll(statusOf, i -> statuses.asSlice(i * statusBytes, statusBytes));
    capacity = newCapacity;
    arena.close();
    arena = newArena;
  }

  /** What the last test said stays readable. */
  private MemorySegment grown(MemorySegment old, Arena newArena, long newCapacity, long width) {
    MemorySegment memory = newArena.allocate(newCapacity * width, Long.BYTES);
    MemorySegment.copy(old, 0, memory, 0, capacity * width);
    return memory;
  }

  @Override
  public int add(long request) {
    if (freeCount == 0) {
      grow(2 * capacity);
    }
    int place = free[--freeCount];
    mpi.setHandle(requests, place, request);
    return place;
  }

  @Override
  public int testSome() {
    // Not before: whoever reads the last test's results may add requests meanwhile.
    while (done > 0) {
      free[freeCount++] = place(--done);
    }
    code = mpi.calls().testsome(capacity, requests, number, indices, statuses);
    if (code != 0 && mpi.calls().errorClass(code) != mpi.abi().numbers().errInStatus()) {
      throw mpi.calls().error("MPI_Testsome", code);
    }
    int completed = number.get(JAVA_INT, 0);
    done = completed == mpi.abi().numbers().undefined() ? 0 : completed;
    return done;
  }

  @Override
  public int place(int index) {
    return indices.getAtIndex(JAVA_INT, index);
  }

  @Override
  public @Nullable MpiException failure(int index) {
    if (code == 0) {
      // MPI leaves the error fields of the statuses alone when nothing failed.
      return null;
    }
    int error = statusOf[index].get(JAVA_INT, mpi.abi().status().error());
    return error == 0 ? null : mpi.calls().error("MPI_Testsome", error);
  }

  @Override
  public long bytes(int index) {
    mpi.calls().getCount(statusOf[index], mpi.handles().typeByte(), number);
    return number.get(JAVA_INT, 0);
  }

  @Override
  public boolean cancel(int place) {
    boolean over = mpi.cancel(mpi.handle(requests, place));
    abandon(place);
    return over;
  }

  @Override
  public void abandon(int place) {
    mpi.setHandle(requests, place, mpi.handles().requestNull());
    free[freeCount++] = place;
  }

  @Override
  public void close() {
    arena.close();
  }
}
