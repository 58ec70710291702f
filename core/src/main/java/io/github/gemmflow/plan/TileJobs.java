// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

/**
 * Tiles that are worked on one after the other, each in several tasks at the same time. The next
 * one begins when the last task of the one before was taken, not when it is done; but only those
 * count as done whose predecessors are, too. Guarded by whoever uses it.
 */
final class TileJobs {
  private static final int MOST = 4;

  private final long[] position = new long[MOST];
  private final int[] left = new int[MOST];
  private int tasks;
  private int nextTask;
  private long begun;
  private long done;

  void reset() {
    tasks = 0;
    nextTask = 0;
    begun = 0;
    done = 0;
  }

  /** Whether the tile that began last has a task that nobody has taken. */
  boolean hasTask() {
    return nextTask < tasks;
  }

  /** Whether another tile may begin. */
  boolean isFull() {
    return begun - done == MOST;
  }

  /** Begins a tile. */
  void begin(long newPosition, int newTasks) {
    int slot = slot(begun++);
    position[slot] = newPosition;
    left[slot] = newTasks;
    tasks = newTasks;
    nextTask = 0;
  }

  /** How many tasks the tile that began last has. */
  int tasks() {
    return tasks;
  }

  /** Takes a task of the tile that began last. */
  int take() {
    return nextTask++;
  }

  /** The number of the tile that began last. */
  long last() {
    return begun - 1;
  }

  long position(long job) {
    return position[slot(job)];
  }

  /** A task of a tile is done; returns whether more tiles are done than before. */
  boolean finish(long job) {
    left[slot(job)]--;
    return settle();
  }

  /** Counts what is done; returns whether that is more than before. */
  boolean settle() {
    long before = done;
    while (done < begun && left[slot(done)] == 0) {
      done++;
    }
    return done > before;
  }

  /** Whether a tile that began is not done. */
  boolean isBusy() {
    return done < begun;
  }

  /** The position of the first tile that is not done; of those that began, there is one. */
  long firstUndone() {
    return position[slot(done)];
  }

  private static int slot(long job) {
    return (int) (job % MOST);
  }
}
