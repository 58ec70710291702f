// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.service;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** A task of a client who waits for its tokens. One thread gives, another takes. */
final class Job {
  private final Task task;
  private final Queue<Event> events = new ArrayDeque<>();
  private Event.@Nullable Failure failure;

  /** What a client waits for. */
  sealed interface Event {
    /** One more token. */
    record Token(int number) implements Event {}

    /**
     * The end.
     *
     * @param reason as OpenAI says it: "stop" or "length"
     */
    record End(String reason) implements Event {}

    /**
     * The server cannot go on.
     *
     * @param status of HTTP, for a client who has not got one yet
     */
    record Failure(int status, String message) implements Event {}
  }

  Job(Task task) {
    this.task = task;
  }

  Task task() {
    return task;
  }

  synchronized void give(Event event) {
    events.add(event);
    notifyAll();
  }

  /** Ends it: no more events come. Takes no memory, of which there may be none. */
  synchronized void fail(Event.Failure why) {
    failure = why;
    notifyAll();
  }

  /** Waits for what comes next: an event, or else the failure. */
  synchronized Event take() throws InterruptedException {
    while (events.isEmpty()) {
      if (failure != null) {
        return failure;
      }
      wait();
    }
    return events.remove();
  }
}
