// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.service;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The place on rank 0 where clients leave jobs and the loop of the ranks takes them, so many at a
 * time. Thread-safe.
 */
final class Desk {
  private final int maxGoing;
  private final int maxWaiting;
  private final long room;
  private final Metrics metrics;
  private final Queue<Job> waiting = new ArrayDeque<>();
  private final Map<Long, Job> going = new HashMap<>();
  private final List<Long> cancelled = new ArrayList<>();
  private long ids;
  private Job.Event.@Nullable Failure end;

  /**
   * An empty desk.
   *
   * @param maxGoing jobs that are worked on at a time
   * @param maxWaiting jobs that wait for that
   * @param room of the ranks, of which each job takes what its task does
   */
  Desk(int maxGoing, int maxWaiting, long room, Metrics metrics) {
    this.maxGoing = maxGoing;
    this.maxWaiting = maxWaiting;
    this.room = room;
    this.metrics = metrics;
  }

  /** Makes a task, given a number. */
  @FunctionalInterface
  interface TaskMaker {
    Task make(long id);
  }

  /** Leaves a job; returns nothing if too many wait, or the server ends. */
  synchronized Optional<Job> leave(TaskMaker maker) {
    if (end != null || waiting.size() >= maxWaiting) {
      return Optional.empty();
    }
    Job job = new Job(maker.make(ids++));
    waiting.add(job);
    notifyAll();
    return Optional.of(job);
  }

  /** Nobody waits for a job any more. */
  synchronized void cancel(Job job) {
    if (!waiting.remove(job) && going.containsKey(job.task().id())) {
      cancelled.add(job.task().id());
    }
  }

  /** For the loop: what is new. Waits, if there is nothing to work on and no end. */
  synchronized News next() {
    while (going.isEmpty() && waiting.isEmpty() && end == null) {
      try {
        wait();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        end(new Job.Event.Failure(503, "the server was interrupted"));
      }
    }
    List<Task> added = new ArrayList<>();
    while (isRoomFor(waiting.peek())) {
      Job job = waiting.remove();
      going.put(job.task().id(), job);
      added.add(job.task());
    }
    News news = new News(end != null, added, cancelled);
    cancelled.clear();
    return news;
  }

  /** Whether a job can begin; the only one always can. */
  private boolean isRoomFor(@Nullable Job next) {
    long taken = going.values().stream().mapToLong(job -> job.task().room()).sum();
    return next != null
        && (going.isEmpty() || (going.size() < maxGoing && next.task().room() <= room - taken));
  }

  /** For the loop: a token has come. */
  synchronized void heard(long id, int token) {
    give(going.get(id), new Job.Event.Token(token));
    metrics.token();
  }

  /** For the loop: a job is finished. */
  synchronized void finished(long id, boolean byItself) {
    give(going.remove(id), new Job.Event.End(byItself ? "stop" : "length"));
  }

  private static void give(@Nullable Job job, Job.Event event) {
    if (job != null) {
      job.give(event);
    }
  }

  /** For the loop: a pass took so long. */
  void passed(long nanos) {
    metrics.pass(nanos);
  }

  /**
   * Ends the work, whatever the reason: takes no more jobs, tells everybody who waits for one, and
   * lets the loop begin no pass. The first reason counts.
   */
  synchronized void end(Job.Event.Failure why) {
    if (end == null) {
      end = why;
      going.values().forEach(job -> job.fail(why));
      waiting.forEach(job -> job.fail(why));
      going.clear();
      waiting.clear();
      notifyAll();
    }
  }

  Metrics metrics() {
    return metrics;
  }

  synchronized boolean isOpen() {
    return end == null;
  }

  synchronized int going() {
    return going.size();
  }

  synchronized int waiting() {
    return waiting.size();
  }
}
