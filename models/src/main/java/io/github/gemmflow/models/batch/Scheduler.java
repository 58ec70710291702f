// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.batch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Queue of texts on rank 0: clients submit them, and the {@link RankLoop} takes them, as many at a
 * time as there is room for. Thread-safe.
 */
public final class Scheduler {
  private final int maxRunning;
  private final int maxWaiting;
  private final long room;
  private final Queue<Generation> waiting = new ArrayDeque<>();
  private final Map<Long, Generation> running = new HashMap<>();
  private final List<Long> cancelled = new ArrayList<>();
  private final LongAdder tokens = new LongAdder();
  private final LongAdder passes = new LongAdder();
  private final LongAdder passNanos = new LongAdder();
  private long ids;
  private Generation.Event.@Nullable Failure end;

  /**
   * An empty queue.
   *
   * @param maxRunning the most texts that grow at a time
   * @param maxWaiting the most texts that wait for that
   * @param room tokens that every rank has memory for, of which each text takes {@link Task#room}
   */
  public Scheduler(int maxRunning, int maxWaiting, long room) {
    this.maxRunning = maxRunning;
    this.maxWaiting = maxWaiting;
    this.room = room;
  }

  /** Maker of a task that has a given number. */
  @FunctionalInterface
  public interface TaskMaker {
    /** Makes it. */
    Task make(long id);
  }

  /** Adds a text to the queue; returns nothing if too many wait, or the work has ended. */
  public synchronized Optional<Generation> submit(TaskMaker maker) {
    if (end != null || waiting.size() >= maxWaiting) {
      return Optional.empty();
    }
    Generation generation = new Generation(maker.make(ids++));
    waiting.add(generation);
    notifyAll();
    return Optional.of(generation);
  }

  /** Drops a text that nobody waits for any more. */
  public synchronized void cancel(Generation generation) {
    if (!waiting.remove(generation) && running.containsKey(generation.task().id())) {
      cancelled.add(generation.task().id());
    }
  }

  /** For the loop: the news before a pass. Waits while there is nothing to work on. */
  synchronized News next() {
    while (running.isEmpty() && waiting.isEmpty() && end == null) {
      try {
        wait();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        end(new Generation.Event.Failure(true, "the server was interrupted"));
      }
    }
    List<Task> added = new ArrayList<>();
    while (isRoomFor(waiting.peek())) {
      Generation generation = waiting.remove();
      running.put(generation.task().id(), generation);
      added.add(generation.task());
    }
    News news = new News(end != null, added, cancelled);
    cancelled.clear();
    return news;
  }

  /** Whether a text can begin; the only one always can. */
  private boolean isRoomFor(@Nullable Generation next) {
    long taken = running.values().stream().mapToLong(generation -> generation.task().room()).sum();
    return next != null
        && (running.isEmpty()
            || (running.size() < maxRunning && next.task().room() <= room - taken));
  }

  /** For the loop: a token has come. */
  synchronized void heard(long id, int token) {
    give(running.get(id), new Generation.Event.Token(token));
    tokens.increment();
  }

  /** For the loop: a text is finished. */
  synchronized void finished(long id, boolean byItself) {
    give(running.remove(id), new Generation.Event.End(byItself));
  }

  private static void give(@Nullable Generation generation, Generation.Event event) {
    if (generation != null) {
      generation.give(event);
    }
  }

  /** For the loop: a pass is over. */
  void passed(long nanos) {
    passes.increment();
    passNanos.add(nanos);
  }

  /**
   * Ends the work, whatever the reason: takes no more texts, tells everybody who waits for one, and
   * lets the loop begin no pass. The first reason counts.
   */
  public synchronized void end(Generation.Event.Failure why) {
    if (end == null) {
      end = why;
      running.values().forEach(generation -> generation.fail(why));
      waiting.forEach(generation -> generation.fail(why));
      running.clear();
      waiting.clear();
      notifyAll();
    }
  }

  /** Whether the work goes on. */
  public synchronized boolean isOpen() {
    return end == null;
  }

  /** Texts that grow. */
  public synchronized int running() {
    return running.size();
  }

  /** Texts that wait. */
  public synchronized int waiting() {
    return waiting.size();
  }

  /** Tokens of all texts so far. */
  public long tokens() {
    return tokens.sum();
  }

  /** Passes so far. */
  public long passes() {
    return passes.sum();
  }

  /** The time that these passes took, in nanoseconds. */
  public long passNanos() {
    return passNanos.sum();
  }
}
