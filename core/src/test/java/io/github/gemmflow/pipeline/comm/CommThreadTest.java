// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.engine.local.LocalFabric;
import io.github.gemmflow.failure.DeadlineException;
import io.github.gemmflow.failure.EngineException;
import io.github.gemmflow.kit.ForwardingEngine;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CommThreadTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  /** An engine that fails when it is asked to. */
  private static final class Failing extends ForwardingEngine {
    private volatile boolean inProgress;
    private volatile boolean inClose;

    Failing() {
      super(new LocalFabric(0).engine(0));
    }

    @Override
    public int progress() {
      if (inProgress) {
        throw new IllegalStateException("no network");
      }
      return super.progress();
    }

    @Override
    public void close() {
      if (inClose) {
        throw new IllegalStateException("no end");
      }
      super.close();
    }
  }

  private static CommThread start(Failing engine) {
    CommThread thread = new CommThread("test-comm", () -> engine);
    Engine connected = thread.engine(LONG);
    assertEquals(engine, connected);
    return thread;
  }

  /** An agent that passes on what it is told. */
  private record Listener(CompletableFuture<EngineException> told) implements CommAgent {
    @Override
    public int poll() {
      return 0;
    }

    @Override
    public int underWay() {
      return 0;
    }

    @Override
    public void fail(EngineException e) {
      told.complete(e);
    }
  }

  private static final class Clumsy implements CommAgent {
    @Override
    public int poll() {
      return 0;
    }

    @Override
    public int underWay() {
      return 0;
    }

    @Override
    public void fail(EngineException e) {
      throw new IllegalStateException("clumsy");
    }
  }

  @Test
  void whatOneAgentDoesAboutAFailureIsNothingToTheOthers() throws Exception {
    Failing engine = new Failing();
    CommThread thread = start(engine);
    Listener listener = new Listener(new CompletableFuture<>());
    Boolean _ =
        thread.ask(
            () -> {
              thread.add(new Clumsy());
              thread.add(listener);
              engine.inProgress = true;
              return true;
            },
            LONG);
    EngineException told = listener.told().get(LONG.toSeconds(), TimeUnit.SECONDS);
    assertTrue(told.toString().contains("no network"), told::toString);
    // The thread lives, and whoever comes later learns of it, too.
    Listener late = new Listener(new CompletableFuture<>());
    Boolean _ =
        thread.ask(
            () -> {
              thread.add(late);
              return true;
            },
            LONG);
    assertEquals(told, late.told().getNow(new EngineException("not told")));
    assertTrue(thread.close(LONG));
  }

  @Test
  void afterItsEndNobodyWaits() throws Exception {
    Failing engine = new Failing();
    CommThread thread = start(engine);
    engine.inClose = true;
    assertTrue(thread.close(LONG));
    CompletableFuture<Integer> answer = thread.call(() -> 1);
    CompletionException e =
        assertThrows(
            CompletionException.class,
            () -> answer.orTimeout(LONG.toSeconds(), TimeUnit.SECONDS).join());
    assertTrue(String.valueOf(e.getCause()).contains("the world is closed"), e::toString);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      assertTrue(latch.await(LONG.toSeconds(), TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void anAnswerThatComesLateIsNotLost() throws Exception {
    CommThread thread = start(new Failing());
    CountDownLatch busy = new CountDownLatch(1);
    CompletableFuture<Boolean> waiting =
        thread.call(
            () -> {
              awaitQuietly(busy);
              return true;
            });
    CompletableFuture<Integer> late = new CompletableFuture<>();
    DeadlineException e =
        assertThrows(
            DeadlineException.class,
            () -> thread.ask(() -> 1, Duration.ofMillis(20), late::complete));
    assertTrue(String.valueOf(e.getMessage()).contains("has not answered for 0.0 s"), e::toString);
    assertFalse(late.isDone());
    busy.countDown();
    assertEquals(1, late.get(LONG.toSeconds(), TimeUnit.SECONDS));
    assertTrue(waiting.join());
    assertTrue(thread.close(LONG));
  }

  /** Whoever gave up has unmapped what the agent would look at. */
  @Test
  void anAgentThatItHasNoTimeForIsNotAddedLater() throws Exception {
    Failing engine = new Failing();
    CommThread thread = start(engine);
    CountDownLatch busy = new CountDownLatch(1);
    CompletableFuture<Boolean> waiting =
        thread.call(
            () -> {
              awaitQuietly(busy);
              return true;
            });
    Listener late = new Listener(new CompletableFuture<>());
    assertThrows(DeadlineException.class, () -> thread.add(late, Duration.ofMillis(20)));
    busy.countDown();
    assertTrue(waiting.get(LONG.toSeconds(), TimeUnit.SECONDS));
    Listener inTime = new Listener(new CompletableFuture<>());
    thread.add(inTime, LONG);
    Boolean _ =
        thread.ask(
            () -> {
              engine.inProgress = true;
              return true;
            },
            LONG);
    EngineException told = inTime.told().get(LONG.toSeconds(), TimeUnit.SECONDS);
    assertTrue(told.toString().contains("no network"), told::toString);
    assertTrue(thread.close(LONG));
    assertFalse(late.told().isDone());
  }

  /** An agent that says which thread polls it. */
  private record Witness(Queue<Thread> threads, boolean canWait) implements CommAgent {
    Witness(boolean canWait) {
      this(new ConcurrentLinkedQueue<>(), canWait);
    }

    @Override
    public int poll() {
      threads.add(Thread.currentThread());
      return 0;
    }

    @Override
    public int underWay() {
      return 1;
    }

    @Override
    public void fail(EngineException e) {}
  }

  @Test
  void aThreadThatWaitsPollsInItsPlaceAndOneAtATime() {
    CommThread thread = start(new Failing());
    Witness witness = new Witness(false);
    Boolean _ =
        thread.ask(
            () -> {
              thread.add(witness);
              assertFalse(thread.tryMove(), "this thread is at it");
              return true;
            },
            LONG);
    while (!thread.tryMove()) {
      Thread.onSpinWait();
    }
    assertTrue(witness.threads().contains(Thread.currentThread()));
    assertTrue(thread.close(LONG));
    assertFalse(thread.tryMove(), "after its end there is nothing to do");
  }

  /** A thread that has nothing to do but what can wait lets others send in its place. */
  @Test
  void whatCanWaitIsLeftToThreadsThatWork() {
    CommThread thread = start(new Failing());
    Witness witness = new Witness(true);
    add(thread, witness);
    awaitPollBySend(thread, witness);

    thread.fallAsleep();
    // Nobody waits for this thread any more: the second poll comes after it has noticed.
    awaitPolls(witness, 2);
    witness.threads().clear();
    thread.send();
    assertFalse(witness.threads().contains(Thread.currentThread()), "it is not at rest");

    thread.wakeUp();
    awaitPollBySend(thread, witness);
    assertTrue(thread.close(LONG));
  }

  @Test
  void whatCannotWaitIsPolledByItself() {
    CommThread thread = start(new Failing());
    Witness witness = new Witness(false);
    add(thread, witness);
    awaitPolls(witness, 2);
    witness.threads().clear();
    thread.send();
    assertFalse(witness.threads().contains(Thread.currentThread()), "it is not at rest");
    awaitPolls(witness, 2);
    assertTrue(thread.close(LONG));
  }

  private static void add(CommThread thread, CommAgent agent) {
    Boolean _ =
        thread.ask(
            () -> {
              thread.add(agent);
              return true;
            },
            LONG);
  }

  private static void awaitPolls(Witness witness, int count) {
    witness.threads().clear();
    long end = System.nanoTime() + LONG.toNanos();
    while (witness.threads().size() < count) {
      assertTrue(System.nanoTime() < end, "nobody polls");
      Thread.onSpinWait();
    }
  }

  private static void awaitPollBySend(CommThread thread, Witness witness) {
    long end = System.nanoTime() + LONG.toNanos();
    while (!witness.threads().contains(Thread.currentThread())) {
      assertTrue(System.nanoTime() < end, "it does not rest");
      thread.send();
    }
  }
}
