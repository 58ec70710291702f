// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.batch;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Continuation of a prompt that somebody waits for. One thread gives tokens, another takes them.
 */
public final class Generation {
  private final Task task;
  private final Queue<Event> events = new ArrayDeque<>();
  private Event.@Nullable Failure failure;

  /** Something that happens to a text. */
  public sealed interface Event {
    /** One more token. */
    record Token(int number) implements Event {}

    /**
     * The end of the text.
     *
     * @param byItself whether the model ended it, and not its limit
     */
    record End(boolean byItself) implements Event {}

    /**
     * The end of the work on it, before the text was finished.
     *
     * @param isOrderly whether the ranks were told to end, so that the request may succeed
     *     elsewhere
     */
    record Failure(boolean isOrderly, String message) implements Event {}
  }

  Generation(Task task) {
    this.task = task;
  }

  /** The prompt, and how it is continued. */
  public Task task() {
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

  /** Waits for the next event; after a failure, which ends it, returns that. */
  public synchronized Event take() throws InterruptedException {
    while (events.isEmpty()) {
      if (failure != null) {
        return failure;
      }
      wait();
    }
    return events.remove();
  }
}
