// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.service;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A task of a client who waits for its tokens. One thread gives, another takes. */
final class Job {
  private final Task task;
  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

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

    /** The model cannot go on. */
    record Failure(String message) implements Event {}
  }

  Job(Task task) {
    this.task = task;
  }

  Task task() {
    return task;
  }

  void give(Event event) {
    events.add(event);
  }

  /** Waits for what comes next. */
  Event take() throws InterruptedException {
    return events.take();
  }
}
