// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import static java.lang.System.Logger.Level.ERROR;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.engine.Exchange;
import io.github.gemmflow.failure.BrokenException;
import io.github.gemmflow.failure.DeadlineException;
import io.github.gemmflow.failure.EngineException;
import io.github.gemmflow.pipeline.step.Breakable;
import io.github.gemmflow.pipeline.step.CommHelp;
import io.github.gemmflow.window.Bell;
import io.github.gemmflow.window.Parking;
import io.github.gemmflow.window.Waiter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The thread of a process that calls its engine, for all groups. It polls agents in turn, and
 * sleeps when none has anything to do: until it is woken, or for a nap while an engine that cannot
 * wake it has something under way. A thread that waits for what the engine brings may poll in its
 * place ({@link CommHelp}). All methods may be called from any thread.
 */
public final class CommThread implements CommHelp {
  private static final System.Logger LOG = System.getLogger("io.github.gemmflow");

  /** How long anybody waits for an answer that takes the thread no time. */
  private static final Duration ANSWER = Duration.ofSeconds(10);

  /** A sleeping communication thread looks around this often, even if nobody rings. */
  private static final long LOOK_AROUND = EngineTurn.LONGEST_LOOK;

  /**
   * The same for an engine that cannot wake it: what helpers have left behind, such as bytes that
   * the network did not take at once, moves on then.
   */
  private static final long LOOK_AFTER_HELPERS = 10_000_000;

  /** Nothing that an engine does without blocking takes this long, in nanoseconds. */
  private static final long STUCK_NANOS = 60_000_000_000L;

  private final Thread thread;
  private final CommTasks tasks = new CommTasks(this::ring);
  private final CompletableFuture<Engine> connected = new CompletableFuture<>();
  private volatile Bell bell = new Bell(Arena.ofAuto().allocate(Bell.bytes(1), Long.BYTES), 0);
  private Waiter sleeper = new Waiter(bell, 0);
  private Waiter spinner = sleeper;
  private BooleanSupplier maySpin = () -> false;
  private long napNanos;
  private volatile boolean closed;
  private volatile boolean resting;

  /** Compute threads of this process that sleep while they wait for something. */
  private final AtomicInteger sleepers = new AtomicInteger();

  // Used by whoever has the turn.
  private final EngineTurn turn = new EngineTurn(System::nanoTime);
  private final CommAgents agents = new CommAgents(new PollBackoff(System::nanoTime));

  /**
   * Starts the thread, which connects the engine first.
   *
   * @param name the thread's name
   */
  public CommThread(String name, Supplier<Engine> connect) {
    this.thread = Thread.ofPlatform().name(name).daemon().unstarted(() -> run(connect));
    thread.start();
  }

  /**
   * The engine, once it is connected. Its calls belong to whoever has the turn, except where it
   * says so.
   *
   * @throws DeadlineException if it is not connected in time
   */
  public Engine engine(Duration deadline) {
    return Futures.join(
        connected,
        deadline,
        () ->
            "the engine has not connected this process to the others within %s. Check that all processes were started, and that their hosts can reach each other"
                .formatted(Durations.describe(deadline)));
  }

  /**
   * Sleeps on another bell from now on.
   *
   * @param spinNanos how long it looks for what is under way before it sleeps
   * @param maySpinNow whether it may do so now; asked on this thread
   */
  public void sleepOn(Bell newBell, long spinNanos, BooleanSupplier maySpinNow) {
    // A task, because the thread must leave the old bell before anybody relies on the new one.
    ask(
        () -> {
          sleeper = new Waiter(newBell, 0);
          spinner = new Waiter(newBell, spinNanos);
          maySpin = maySpinNow;
          bell = newBell;
          return true;
        },
        ANSWER);
  }

  private void run(Supplier<Engine> connect) {
    Engine engine;
    try {
      engine = connect.get();
    } catch (RuntimeException | Error e) {
      connected.completeExceptionally(e);
      return;
    }
    engine.onActivity(this::ring);
    connected.complete(engine);
    if (!engine.announces()) {
      Waiter.wakeOnTime();
    }
    BooleanSupplier didSomething = () -> closed || cycle(engine) > 0;
    BooleanSupplier mayGoOn =
        () -> didSomething.getAsBoolean() || spins() || (resting && isNeeded());
    try {
      while (!closed) {
        if (spins()) {
          spinner.await(didSomething, idleNanos(engine));
        } else {
          sleeper.await(mayGoOn, idleNanos(engine));
        }
      }
      Parking.until(() -> tryTakeTurn(engine), () -> LockSupport.parkNanos(PollBackoff.SHORTEST));
      tasks.runAll();
      engine.close();
    } catch (RuntimeException | Error e) {
      LOG.log(ERROR, "the communication thread has failed", e);
    } finally {
      agents.fail(new EngineException("the world is closed"));
      tasks.end();
    }
  }

  private int cycle(Engine engine) {
    if (!tryTakeTurn(engine)) {
      return 0;
    }
    try {
      int done = tasks.runAll() + agents.moveOn(engine);
      if (resting && isNeeded()) {
        agents.begin();
      }
      napNanos = agents.napNanos();
      return done;
    } finally {
      turn.giveBack();
    }
  }

  /**
   * A helper that does not return from a call of the engine can be neither interrupted nor left.
   */
  private boolean tryTakeTurn(Engine engine) {
    boolean taken = turn.tryTake();
    if (!taken && turn.heldFor() > STUCK_NANOS) {
      engine.kill(
          "the engine has not returned from a call for %d s"
              .formatted(TimeUnit.NANOSECONDS.toSeconds(STUCK_NANOS)));
    }
    return taken;
  }

  @Override
  public void send() {
    // While it is busy with more, who computes has better things to do.
    if (!resting || !tryMove()) {
      ring();
    }
  }

  @Override
  public boolean tryMove() {
    Engine engine = connected.getNow(null);
    // Tasks are this thread's own, and it is waited for.
    if (engine == null || closed || !tasks.isEmpty() || !turn.tryTake()) {
      return false;
    }
    try {
      int _ = agents.moveOn(engine);
    } finally {
      turn.giveBack();
    }
    return true;
  }

  @Override
  public void turnToWork() {
    ringIfNeeded();
  }

  @Override
  public void fallAsleep() {
    sleepers.incrementAndGet();
    ringIfNeeded();
  }

  @Override
  public void wakeUp() {
    sleepers.decrementAndGet();
  }

  private void ring() {
    bell.ring();
  }

  private void ringIfNeeded() {
    if (resting && isNeeded()) {
      ring();
    }
  }

  /** Whether something is under way that nobody else looks after in time. */
  private boolean isNeeded() {
    return agents.underWay() > 0 && (sleepers.get() > 0 || !agents.canWait());
  }

  private boolean spins() {
    return maySpin.getAsBoolean() && agents.underWay() > 0;
  }

  private long idleNanos(Engine engine) {
    resting = !isNeeded() && !spins();
    if (resting) {
      return engine.announces() ? LOOK_AROUND : LOOK_AFTER_HELPERS;
    }
    return engine.announces() ? StepTransfers.LONGEST_WAIT : napNanos;
  }

  /** Runs something on this thread; after its end, nowhere. */
  public <T> CompletableFuture<T> call(Supplier<T> task) {
    return tasks.call(task);
  }

  /**
   * Runs something on this thread and waits for the answer, whatever interrupts.
   *
   * @throws DeadlineException if the thread does not answer in time: the engine has not returned
   *     from a call
   */
  public <T> T ask(Supplier<T> task, Duration deadline) {
    return ask(task, deadline, _ -> {});
  }

  /**
   * Like {@link #ask(Supplier, Duration)}.
   *
   * @param late takes an answer that comes after the deadline, on this thread
   */
  public <T> T ask(Supplier<T> task, Duration deadline, Consumer<T> late) {
    CompletableFuture<T> answer = call(task);
    try {
      return Futures.joinUninterruptibly(
          answer,
          deadline,
          () ->
              "the communication thread (%s) has not answered for %s: the engine does not return from a call"
                  .formatted(thread.getName(), Durations.describe(deadline)));
    } catch (DeadlineException e) {
      CompletableFuture<Void> _ = answer.thenAccept(late);
      throw e;
    }
  }

  /**
   * Breaks ranks up when the engine fails.
   *
   * @param rank this rank, for the message
   */
  public void watch(int rank, Breakable ranks) {
    tasks.add(() -> add(new EngineWatch(rank, ranks, () -> closed)));
  }

  /**
   * Adds an agent, from another thread.
   *
   * @throws DeadlineException if this thread does not answer in time; it does not add the agent
   *     later
   */
  public void add(CommAgent agent, Duration deadline) {
    AtomicBoolean decided = new AtomicBoolean();
    try {
      boolean _ =
          ask(
              () -> {
                boolean inTime = decided.compareAndSet(false, true);
                if (inTime) {
                  add(agent);
                }
                return inTime;
              },
              deadline);
    } catch (DeadlineException e) {
      if (decided.compareAndSet(false, true)) {
        throw e;
      }
    }
  }

  /** Adds an agent. Called on this thread. */
  public void add(CommAgent agent) {
    agents.add(agent);
  }

  /** Removes an agent. Called on this thread. */
  public void remove(CommAgent agent) {
    agents.remove(agent);
  }

  /**
   * Makes a small exchange with the ranks of a channel.
   *
   * @param ranks those whose breaking ends the exchange; null before they are known
   */
  public CompletableFuture<byte[][]> exchange(
      Channel channel, @Nullable Breakable ranks, Function<Channel, Exchange> start) {
    CompletableFuture<byte[][]> result = new CompletableFuture<>();
    tasks.add(() -> add(new PendingExchange(this, channel, ranks, start, result)));
    return result;
  }

  /**
   * Sends bytes to a rank of a channel, or receives them; returns when that is done.
   *
   * @param ranks those whose breaking ends it
   * @param receives whether they come from the peer; otherwise they go there
   */
  public void transfer(
      Channel channel, Breakable ranks, boolean receives, int peer, MemorySegment bytes) {
    PeerTransfer transfer = new PeerTransfer(this, channel, ranks, receives, peer, bytes);
    tasks.add(() -> add(transfer));
    try {
      boolean _ = Futures.join(transfer.over(), Futures.FOREVER, ranks::look, () -> "");
    } catch (BrokenException e) {
      ranks.breakUp(String.valueOf(e.getMessage()));
      // Its memory is left alone when this ends, unless a call of the engine does not return.
      boolean _ =
          Futures.joinUninterruptibly(
              transfer.over().exceptionally(_ -> false),
              ANSWER,
              () -> "the engine does not return");
      throw e;
    }
  }

  /**
   * Closes the engine and ends the thread.
   *
   * @return whether it has ended by the deadline; if not, the engine may still use its memory
   */
  public boolean close(Duration deadline) {
    closed = true;
    ring();
    return Futures.joinThread(thread, deadline);
  }
}
