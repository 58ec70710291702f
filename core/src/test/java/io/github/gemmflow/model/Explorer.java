// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.model;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Visits every state that a model can reach, depth first. States are remembered as 64-bit
 * fingerprints: with ten million of them the chance that two collide, and one is left out, is below
 * one in a hundred thousand.
 */
final class Explorer {
  /** What a model does in a state. */
  interface Model {
    byte[] initial();

    /** Hands every state that can follow to {@code next}, with what happened in words. */
    void expand(byte[] state, Successors next);

    /** What is wrong with a state that only faults follow; empty if nothing is. */
    String checkEnd(byte[] state);
  }

  /** Takes the states that can follow. */
  interface Successors {
    /**
     * A state that can follow.
     *
     * @param event what happened, in words; asked only if somebody wants to read it
     */
    void add(Supplier<String> event, byte[] state);

    /** A state that follows only if something breaks: nobody can count on that to go on. */
    void addFault(Supplier<String> event, byte[] state);
  }

  /** Something that must never happen, and how it came to it. */
  static final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;

    Violation(String message) {
      super(message);
    }
  }

  /** A state, and the visit that led to it. */
  private static final class Visit {
    private final byte[] state;
    private final Supplier<String> event;
    private final @Nullable Visit before;

    Visit(byte[] state, Supplier<String> event, @Nullable Visit before) {
      this.state = state;
      this.event = event;
      this.before = before;
    }

    String trace() {
      Deque<String> events = new ArrayDeque<>();
      for (Visit visit = this; visit != null; visit = visit.before) {
        events.push(visit.event.get());
      }
      return "\n  after: " + String.join("\n  ", events);
    }
  }

  private final Model model;
  private long[] seen = new long[1 << 16];
  private int count;
  private long ends;

  Explorer(Model model) {
    this.model = model;
  }

  /** Visits all states; throws a {@link Violation} with the events that lead to it. */
  void run() {
    Deque<Visit> stack = new ArrayDeque<>();
    byte[] initial = model.initial();
    remember(initial);
    stack.push(new Visit(initial, () -> "start", null));
    while (!stack.isEmpty()) {
      visit(stack.pop(), stack);
    }
  }

  private void visit(Visit visit, Deque<Visit> stack) {
    int[] followers = new int[1];
    try {
      model.expand(
          visit.state,
          new Successors() {
            @Override
            public void add(Supplier<String> event, byte[] state) {
              followers[0]++;
              addFault(event, state);
            }

            @Override
            public void addFault(Supplier<String> event, byte[] state) {
              if (remember(state)) {
                stack.push(new Visit(state, event, visit));
              }
            }
          });
    } catch (Violation e) {
      throw new Violation(e.getMessage() + visit.trace());
    }
    if (followers[0] == 0) {
      ends++;
      String wrong = model.checkEnd(visit.state);
      if (!wrong.isEmpty()) {
        throw new Violation(wrong + visit.trace());
      }
    }
  }

  int states() {
    return count;
  }

  long ends() {
    return ends;
  }

  private boolean remember(byte[] state) {
    if (2 * count > seen.length) {
      long[] old = seen;
      seen = new long[2 * old.length];
      for (long print : old) {
        if (print != 0) {
          seen[free(print)] = print;
        }
      }
    }
    long print = fingerprint(state);
    int index = free(print);
    if (seen[index] == print) {
      return false;
    }
    seen[index] = print;
    count++;
    return true;
  }

  private int free(long print) {
    int index = (int) (print >>> 20) & (seen.length - 1);
    while (seen[index] != 0 && seen[index] != print) {
      index = (index + 1) & (seen.length - 1);
    }
    return index;
  }

  private static long fingerprint(byte[] state) {
    long hash = 0x9E3779B97F4A7C15L;
    for (byte b : state) {
      hash = (hash ^ b) * 0xD6E8FEB86659FD93L;
      hash ^= hash >>> 32;
    }
    return hash == 0 ? 1 : hash;
  }
}
