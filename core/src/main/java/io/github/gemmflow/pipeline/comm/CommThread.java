// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import static java.lang.System.Logger.Level.ERROR;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.engine.Exchange;
import io.github.gemmflow.failure.EngineException;
import io.github.gemmflow.pipeline.step.Breakable;
import io.github.gemmflow.window.Bell;
import io.github.gemmflow.window.Waiter;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The one thread of a process that calls its engine, for all groups. It polls agents in turn, and
 * sleeps when none has anything to do: until it is woken, or for a nap while an engine that cannot
 * wake it has something under way. All methods may be called from any thread.
 */
public final class CommThread {
  private static final System.Logger LOG = System.getLogger("io.github.gemmflow");

  /** How long anybody waits for an answer that takes the thread no time. */
  private static final Duration ANSWER = Duration.ofSeconds(10);

  /**
   * A sleeping communication thread looks around this often, in nanoseconds, even if nobody rings.
   */
  private static final long LOOK_AROUND = 10_000_000_000L;

  private final Thread thread;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final PollBackoff backoff = new PollBackoff(System::nanoTime);
  private final CompletableFuture<Engine> connected = new CompletableFuture<>();
  private volatile Bell bell = new Bell(Arena.ofAuto().allocate(Bell.bytes(1), Long.BYTES), 0);
  private Waiter sleeper = new Waiter(bell, 0);
  private Waiter spinner = sleeper;
  private BooleanSupplier maySpin = () -> false;
  private volatile boolean closed;
  private volatile boolean ended;

  // Used by this thread only.
  private CommAgent[] agents = new CommAgent[0];
  private @Nullable EngineException failure;

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
   * The engine, once it is connected. Its calls belong to this thread, except where it says so.
   *
   * @throws io.github.gemmflow.failure.DeadlineException if it is not connected in time
   */
  public Engine engine(Duration deadline) {
    return Futures.join(
        connected,
        deadline,
        () ->
            "the engine has not connected this process to the others within %s. Look at whether all processes were started, and whether their hosts can reach each other"
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
    engine.onActivity(() -> bell.ring());
    connected.complete(engine);
    BooleanSupplier didSomething = () -> closed || cycle(engine) > 0;
    BooleanSupplier mayGoOn = () -> didSomething.getAsBoolean() || spins();
    try {
      while (!closed) {
        if (spins()) {
          spinner.await(didSomething, idleNanos(engine));
        } else {
          sleeper.await(mayGoOn, idleNanos(engine));
        }
      }
      runTasks();
      engine.close();
    } catch (RuntimeException | Error e) {
      LOG.log(ERROR, "the communication thread has failed", e);
    } finally {
      fail(new EngineException("the world is closed"));
      ended = true;
      runTasks();
    }
  }

  private int cycle(Engine engine) {
    int done = runTasks();
    try {
      if (failure == null) {
        int completed = engine.progress();
        if (completed > 0) {
          backoff.completed(completed);
        }
        done += completed;
        for (CommAgent agent : agents) {
          done += agent.poll();
        }
      }
    } catch (EngineException e) {
      fail(e);
    } catch (RuntimeException | Error e) {
      fail(new EngineException("the communication thread failed: " + e, e));
    }
    return done;
  }

  private int runTasks() {
    int done = 0;
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
      done++;
    }
    return done;
  }

  private void fail(EngineException e) {
    failure = e;
    for (CommAgent agent : agents) {
      fail(agent, e);
    }
  }

  /** Whatever one agent does when it is told, the others are told, too. */
  private static void fail(CommAgent agent, EngineException e) {
    try {
      agent.fail(e);
    } catch (RuntimeException | Error more) {
      e.addSuppressed(more);
    }
  }

  /** How many things are under way in the engine. */
  private int underWay() {
    int underWay = 0;
    for (CommAgent agent : agents) {
      underWay += agent.underWay();
    }
    return failure == null ? underWay : 0;
  }

  private boolean spins() {
    return maySpin.getAsBoolean() && underWay() > 0;
  }

  private long idleNanos(Engine engine) {
    int underWay = underWay();
    return underWay > 0 && !engine.announces() ? backoff.next(underWay) : LOOK_AROUND;
  }

  /** Runs something on this thread; after its end, nowhere. */
  public <T> CompletableFuture<T> call(Supplier<T> task) {
    CompletableFuture<T> result = new CompletableFuture<>();
    submit(
        () -> {
          try {
            if (ended) {
              throw new EngineException("the world is closed");
            }
            result.complete(task.get());
          } catch (RuntimeException | Error e) {
            result.completeExceptionally(e);
          }
        });
    return result;
  }

  private void submit(Runnable task) {
    tasks.add(task);
    if (ended) {
      // Nobody else will come: every task that is left finds out by itself that it is too late.
      runTasks();
    } else {
      bell.ring();
    }
  }

  /**
   * Runs something on this thread and waits for the answer, whatever interrupts.
   *
   * @throws io.github.gemmflow.failure.DeadlineException if the thread does not answer in time: the
   *     engine has not returned from a call
   */
  public <T> T ask(Supplier<T> task, Duration deadline) {
    return Futures.joinUninterruptibly(
        call(task),
        deadline,
        () ->
            "the communication thread (%s) has not answered for %s: the engine does not return from a call"
                .formatted(thread.getName(), Durations.describe(deadline)));
  }

  /**
   * Breaks ranks up when the engine fails.
   *
   * @param rank this rank, for the message
   */
  public void watch(int rank, Breakable ranks) {
    submit(() -> add(new Watch(rank, ranks)));
  }

  private final class Watch implements CommAgent {
    private final int rank;
    private final Breakable ranks;

    Watch(int rank, Breakable ranks) {
      this.rank = rank;
      this.ranks = ranks;
    }

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
      if (closed) {
        // This rank leaves in good order; what the others do is their own business.
        return;
      }
      ranks.breakUp("rank %d: %s".formatted(rank, e.getMessage()));
    }
  }

  public void add(CommAgent agent) {
    agents = Arrays.copyOf(agents, agents.length + 1);
    agents[agents.length - 1] = agent;
    if (failure != null) {
      fail(agent, failure);
    }
  }

  public void remove(CommAgent agent) {
    agents = Arrays.stream(agents).filter(a -> !a.equals(agent)).toArray(CommAgent[]::new);
  }

  /**
   * Makes a small exchange with the ranks of a channel.
   *
   * @param ranks those whose breaking ends the exchange; null before they are known
   */
  public CompletableFuture<byte[][]> exchange(
      Channel channel, @Nullable Breakable ranks, Function<Channel, Exchange> start) {
    CompletableFuture<byte[][]> result = new CompletableFuture<>();
    submit(() -> add(new PendingExchange(this, channel, ranks, start, result)));
    return result;
  }

  /**
   * Closes the engine and ends the thread.
   *
   * @return whether it has ended by the deadline; if not, the engine may still use its memory
   */
  public boolean close(Duration deadline) {
    closed = true;
    bell.ring();
    return Futures.joinThread(thread, deadline);
  }
}
