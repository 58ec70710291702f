// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.compute;

import io.github.gemmflow.matrix.Block;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** Work on rows that tells other threads which rows are done. */
public final class TrackedWork implements RowWork {
  private final RowWork work;

  /** Where ranges of rows that are done begin and end; ranges that touch are one. */
  private final TreeMap<Long, Long> doneRows = new TreeMap<>();

  private final List<Wanted> wanted = new ArrayList<>();
  private boolean over;

  /** Rows that somebody waits for. */
  private record Wanted(long first, long end, CompletableFuture<Boolean> done) {}

  public TrackedWork(RowWork work) {
    this.work = work;
  }

  @Override
  public long worthwhileRows() {
    return work.worthwhileRows();
  }

  @Override
  public long runNanos() {
    return work.runNanos();
  }

  @Override
  public void learn(long rows, long nanos) {
    work.learn(rows, nanos);
  }

  @Override
  public int tasks(long rows) {
    return work.tasks(rows);
  }

  @Override
  public void perform(int thread, int task, long firstRow, Block a) {
    work.perform(thread, task, firstRow, a);
  }

  @Override
  public synchronized void done(long firstRow, long endRow) {
    work.done(firstRow, endRow);
    long begin = firstRow;
    long end = endRow;
    Map.Entry<Long, Long> before = doneRows.floorEntry(begin);
    if (before != null && before.getValue() == begin) {
      begin = before.getKey();
    }
    Long after = doneRows.remove(end);
    doneRows.put(begin, after == null ? end : after);
    wanted.removeIf(rows -> isDone(rows.first, rows.end) && rows.done.complete(true));
  }

  /** No more rows will be done: all are, or the step has failed. */
  public synchronized void end() {
    over = true;
    wanted.forEach(rows -> rows.done.complete(false));
  }

  /** Whether the rows from {@code first} to before {@code end} are done. */
  public synchronized boolean isDone(long first, long end) {
    Map.Entry<Long, Long> range = doneRows.floorEntry(first);
    return first == end || (range != null && range.getValue() >= end);
  }

  /** Completes when rows are done; with false if they never will be. */
  public synchronized CompletableFuture<Boolean> whenDone(long first, long end) {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    if (isDone(first, end) || over) {
      done.complete(isDone(first, end));
    } else {
      wanted.add(new Wanted(first, end, done));
    }
    return done;
  }
}
