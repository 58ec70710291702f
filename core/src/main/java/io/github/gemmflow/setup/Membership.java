// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.setup;

import static java.lang.System.Logger.Level.INFO;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.failure.GemmflowException;
import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.pipeline.comm.CommThread;
import io.github.gemmflow.pipeline.comm.Durations;
import io.github.gemmflow.pipeline.comm.Futures;
import io.github.gemmflow.pipeline.step.CommHelp;
import io.github.gemmflow.setup.pin.ThreadPins;
import io.github.gemmflow.tuning.Idle;
import io.github.gemmflow.tuning.Pin;
import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.LinkCosts;
import io.github.gemmflow.window.linux.Affinity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Membership of a rank in its job, from joining it to leaving it. */
public final class Membership {
  /**
   * Terms of a membership; the same on all ranks where it matters.
   *
   * @param version of the library, which is the same on all ranks
   * @param setupDeadline how long a rank waits for others outside of steps
   * @param threads that multiply in each rank
   * @param pin whether threads stay on cores, on all ranks or on none
   * @param costs the file that rank 0 reads costs from; null if it reads none
   */
  public record Terms(
      String version,
      Duration setupDeadline,
      Path windowDirectory,
      int threads,
      Pin pin,
      Idle idle,
      @Nullable Path costs) {
    /** What all ranks must have the same values of; sorted, so that all list it alike. */
    SortedMap<String, Object> shared() {
      return new TreeMap<>(Map.of("version", version, "gemmflow.pin", pin));
    }
  }

  private static final System.Logger LOG = System.getLogger("io.github.gemmflow");

  private static final AtomicBoolean INTRODUCED = new AtomicBoolean();

  private final Terms terms;
  private final CommThread commThread;
  private final Engine engine;
  private final JobEnd jobEnd;
  private final Neighbours neighbours;
  private final WorldHealth health;
  private final Agreement agreement;
  private final ThreadBudget budget;
  private final @Nullable ThreadPins pins;
  private final OrderlyEnd ending;
  private final Int8Packing int8;
  private final @Nullable CostModel costs;
  private final @Nullable LinkCosts link;

  /**
   * Joins a job. Collective over its ranks.
   *
   * @param kernel what this rank multiplies with
   * @param threadName what the communication thread is called
   * @param connect makes the engine; called once, on that thread
   */
  public Membership(Terms terms, Kernel kernel, String threadName, Supplier<Engine> connect) {
    this.terms = terms;
    // Before there are others that would wait: it may not be possible here.
    Affinity affinity = terms.pin == Pin.CORES ? Affinity.load() : null;
    this.commThread = new CommThread(threadName, connect);
    this.engine = commThread.engine(terms.setupDeadline);
    this.jobEnd = new JobEnd(commThread, engine);
    Neighbours met = null;
    try {
      Agreement joining = new Agreement(commThread, engine.world(), null, terms.setupDeadline);
      this.int8 = new Int8Packing(joining, kernel);
      this.costs = JobCosts.share(joining, engine.rank(), terms.costs, MachineKey.of(kernel));
      met = Neighbours.find(joining, engine, terms.windowDirectory, terms.shared());
      this.neighbours = met;
      this.health = new WorldHealth(rank(), neighbours);
      this.agreement = newAgreement(engine.world());
      this.link = measuresLink() ? measuredLink() : null;
      commThread.watch(rank(), health);
      this.ending = new OrderlyEnd(rank(), neighbours, engine.graceNanos());
      boolean pretended = !engine.island().isEmpty();
      this.budget = new ThreadBudget(rank(), neighbours, pretended, terms.threads, terms.idle);
      commThread.sleepOn(
          neighbours.commBell(rank()), terms.idle.spinNanos(), budget.commThreadMaySpin());
      budget.warnOfTooManyThreads();
      this.pins = affinity == null ? null : pins(affinity);
    } catch (RuntimeException | Error e) {
      // Nobody can count on the others any more, and leaving in good order may need them.
      String reason =
          "rank %d could not join the world: %s".formatted(engine.rank(), e.getMessage());
      if (jobEnd.begin(reason) && commThread.close(Departure.ENGINE_CLOSE) && met != null) {
        met.close();
      }
      throw e;
    }
    introduce(kernel);
  }

  /**
   * Whether there are links, between hosts that are not pretended, and no costs say what they do.
   */
  private boolean measuresLink() {
    return costs == null && neighbours.hosts().count() > 1 && engine.island().isEmpty();
  }

  private LinkCosts measuredLink() {
    return new LinkProbe(commThread, engine, neighbours.hosts(), terms.setupDeadline)
        .measure(agreement, CostModel.ASSUMED.link().latencyNanos());
  }

  /** Collective: each rank tells the others which CPUs it may use. */
  private ThreadPins pins(Affinity affinity) {
    byte[] mine = affinity.ofProcess().toByteArray();
    byte[][] all = agreement.exchange("sharing the cores of a host", mine);
    List<BitSet> allowed = new ArrayList<>();
    for (int member : budget.hostRanks()) {
      allowed.add(BitSet.valueOf(all[member]));
    }
    ThreadPins made =
        new ThreadPins(
            affinity, rank(), terms.threads, allowed, budget.hostRanks().indexOf(rank()));
    boolean _ =
        commThread.ask(
            () -> {
              made.pinCommThread();
              return true;
            },
            terms.setupDeadline);
    return made;
  }

  /** One line for the whole job, so that its log says what it ran on; once in a process. */
  private void introduce(Kernel kernel) {
    if (rank() == 0 && !INTRODUCED.getAndSet(true)) {
      LOG.log(
          INFO,
          "{0,choice,1#1 rank|1<{0} ranks} on {1,choice,1#1 host|1<{1} hosts}{5}: {2}, kernel {3} ({4})",
          size(),
          neighbours.hosts().count(),
          engineName(),
          kernel.name(),
          kernel.instructions(),
          link == null ? "" : " with links of " + link);
    }
  }

  /** Agreement of the ranks of a channel, which is given up with the world. */
  public Agreement newAgreement(Channel channel) {
    return new Agreement(commThread, channel, health, terms.setupDeadline);
  }

  /** Cuts the job; collective. Gives the world up if the engine cannot. */
  public Channel split(int color) {
    try {
      return Futures.join(
          commThread.call(() -> engine.split(color)),
          terms.setupDeadline,
          () ->
              "rank %d waited %s for the engine to split the world"
                  .formatted(rank(), Durations.describe(terms.setupDeadline)));
    } catch (GemmflowException e) {
      health.breakUp("rank %d: %s".formatted(rank(), e.getMessage()));
      throw e;
    }
  }

  public int rank() {
    return engine.rank();
  }

  public int size() {
    return engine.size();
  }

  /** What connects the ranks, with its version. */
  public String engineName() {
    return engine.name();
  }

  /** What tells pretended hosts apart. */
  public String island() {
    return engine.island();
  }

  public CommThread commThread() {
    return commThread;
  }

  /** What a thread that waits may do for it; null if the engine wakes it, or cores are scarce. */
  public @Nullable CommHelp commHelp() {
    return budget.spinNanos() > 0 && !engine.announces() ? commThread : null;
  }

  public Neighbours neighbours() {
    return neighbours;
  }

  public WorldHealth health() {
    return health;
  }

  /** The agreement of all ranks of the job. */
  public Agreement agreement() {
    return agreement;
  }

  /** How weights in int8 are packed in this world. */
  public Int8Packing int8() {
    return int8;
  }

  /** The costs that rank 0 has read; null if it read none. */
  public @Nullable CostModel costs() {
    return costs;
  }

  /** What the links between hosts do, where no costs say it; null if there are none. */
  public @Nullable LinkCosts link() {
    return link;
  }

  public ThreadBudget budget() {
    return budget;
  }

  /** Called on a new compute thread, with its number: pins it, if that was asked for. */
  public void pinComputeThread(int thread) {
    if (pins != null) {
      pins.pinComputeThread(thread);
    }
  }

  public OrderlyEnd ending() {
    return ending;
  }

  /** Ends the job for all ranks at once. */
  public void abort(String reason) {
    jobEnd.now("rank %d: %s".formatted(rank(), reason));
  }

  /** How this rank leaves. */
  public Departure departure() {
    return new Departure(commThread, engine, agreement, health, neighbours, jobEnd);
  }
}
