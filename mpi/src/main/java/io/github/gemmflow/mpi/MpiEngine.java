// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi;

import static java.lang.System.Logger.Level.ERROR;
import static java.lang.System.Logger.Level.WARNING;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.engine.Exchange;
import io.github.gemmflow.failure.EngineException;
import io.github.gemmflow.mpi.binding.Launcher;
import io.github.gemmflow.mpi.binding.Mpi;
import io.github.gemmflow.mpi.binding.MpiException;
import io.github.gemmflow.mpi.binding.Requests;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The ranks of an MPI job. All requests of all channels are tested with one call, and whose request
 * is over is told so.
 */
public final class MpiEngine implements Engine {
  private static final System.Logger LOG = System.getLogger("io.github.gemmflow");

  /** How often a rank that waits for the others outside of any step looks. */
  private static final long LOOK_NANOS = 200_000;

  /** For programs that do not say how long they wait. */
  private static final Duration DEFAULT_DEADLINE = Duration.ofMinutes(5);

  private static final long GRACE_NANOS = 1_500_000_000; // to say what was found

  private final Mpi mpi;
  private final boolean ownsMpi;
  private final Watchdog watchdog;
  private final long messageLimit;
  private final Requests requests;
  private final List<Long> comms = new ArrayList<>();
  private final MpiChannel world;
  private final String name;
  private @Nullable Pending[] owners = {};
  private boolean failed;

  private MpiEngine(Mpi mpi, boolean ownsMpi, Watchdog watchdog) {
    this.mpi = mpi;
    this.ownsMpi = ownsMpi;
    this.watchdog = watchdog;
    this.messageLimit = MessageLimit.get();
    this.requests = mpi.newRequests();
    this.world = newChannel(watchdog.watch("MPI_Comm_dup", () -> mpi.duplicate(mpi.world())));
    this.name = "MPI (%s, %s)".formatted(mpi.library(), mpi.version());
    CoreBinding.warningOfThisProcess()
        .ifPresent(text -> LOG.log(WARNING, "rank {0}: {1}", rank(), text));
    agreeOnMessageLimit();
  }

  /**
   * Initialises MPI and joins the job that a launcher started. The calling thread also closes the
   * engine. Collective over the job.
   *
   * @throws EngineException if MPI cannot be had, or the launcher is none of its
   */
  public static MpiEngine join() {
    return join(DEFAULT_DEADLINE);
  }

  /**
   * Like {@link #join()}.
   *
   * @param deadline after which a process whose MPI has not returned from a call ends, with a
   *     message: nothing else can be done about it
   */
  public static MpiEngine join(Duration deadline) {
    Launcher launcher = Launcher.current();
    if (launcher == Launcher.NONE) {
      throw new EngineException(
          "this process was not started by an MPI launcher: start it with mpirun -n 4 java ..., or with srun; a single rank needs no MPI (World.single())");
    }
    try {
      Mpi mpi = Mpi.load();
      if (mpi.isFinalized()) {
        throw new EngineException(
            "MPI has been finalized in this process and cannot be initialized again: join the world once per process");
      }
      if (mpi.isInitialized()) {
        throw new EngineException(
            "MPI is already initialized in this process: use World.attach(MpiEngine::attach)");
      }
      Watchdog watchdog = new Watchdog(deadline);
      watchdog.watch("MPI_Init_thread", () -> checkThreads(mpi.init(Mpi.ThreadLevel.SERIALIZED)));
      checkTasks(launcher, launcher.tasks(), mpi);
      return new MpiEngine(mpi, true, watchdog);
    } catch (MpiException e) {
      throw new EngineException(String.valueOf(e.getMessage()), e);
    }
  }

  /** A library that cannot talk to the launcher makes every process a job of its own. */
  private static void checkTasks(Launcher launcher, int tasks, Mpi mpi) {
    int size = mpi.size(mpi.world());
    if (size != tasks) {
      throw new EngineException(
          "%s started %d processes, but %s found %d: this MPI library does not work with that launcher. Use the mpirun of that library (srun: see srun --mpi=list), or another library with -Dgemmflow.mpi.library"
              .formatted(launcher, tasks, mpi.library(), size));
    }
  }

  /**
   * Joins the job of an MPI that the program has initialised, for {@code World.attach}. Calls come
   * from threads of Gemmflow and from those that wait in a step, one at a time, so MPI must have
   * been initialised with at least {@code MPI_THREAD_SERIALIZED}, and below {@code
   * MPI_THREAD_MULTIPLE} the program must not call MPI itself while the world is open. MPI stays
   * initialised when the world is closed. Collective over the job.
   *
   * @throws EngineException if MPI is not initialised, or not for several threads
   */
  public static MpiEngine attach() {
    try {
      Mpi mpi = Mpi.load();
      if (!mpi.isInitialized() || mpi.isFinalized()) {
        throw new EngineException(
            "MPI is not initialized in this process: call MPI_Init_thread first, or use World.join()");
      }
      checkThreads(mpi.attach());
      return new MpiEngine(mpi, false, new Watchdog(DEFAULT_DEADLINE));
    } catch (MpiException e) {
      throw new EngineException(String.valueOf(e.getMessage()), e);
    }
  }

  /** Gemmflow calls MPI from a thread of its own. */
  static Mpi.ThreadLevel checkThreads(Mpi.ThreadLevel level) {
    if (level.compareTo(Mpi.ThreadLevel.SERIALIZED) < 0) {
      throw new EngineException(
          "MPI was initialized for one thread (%s), but Gemmflow calls it from its communication thread: request MPI_THREAD_MULTIPLE or MPI_THREAD_SERIALIZED from MPI_Init_thread; a library that grants neither cannot be used"
              .formatted(level));
    }
    return level;
  }

  /** Both ends of a transfer must cut it alike. */
  private void agreeOnMessageLimit() {
    Exchange exchange = world.allGather(Long.toString(messageLimit).getBytes(UTF_8));
    watchdog.watch("the first exchange of all ranks", () -> await(exchange));
    byte[][] limits = exchange.result();
    for (int rank = 0; rank < limits.length; rank++) {
      String theirs = new String(limits[rank], UTF_8);
      if (!theirs.equals(Long.toString(messageLimit))) {
        throw new EngineException(
            "the ranks do not agree on %s: rank %d has %d, rank %d has %s"
                .formatted(MessageLimit.PROPERTY, rank(), messageLimit, rank, theirs));
      }
    }
  }

  /** Waits outside of any step without taking a core. */
  private boolean await(Exchange exchange) {
    while (!exchange.isDone()) {
      if (progress() == 0) {
        LockSupport.parkNanos(LOOK_NANOS);
      }
    }
    return true;
  }

  Mpi mpi() {
    return mpi;
  }

  long messageLimit() {
    return messageLimit;
  }

  /** Watches over a request; returns its place. */
  int add(long request, Pending owner) {
    int place = requests.add(request);
    if (place >= owners.length) {
      owners = Arrays.copyOf(owners, 2 * place + 16);
    }
    owners[place] = owner;
    return place;
  }

  /** Whose request is at a place; null if there is none. */
  @Nullable Pending owner(int place) {
    return owners[place];
  }

  /**
   * Gives up a request. A send is left to itself: MPI has deprecated to cancel one.
   *
   * @return whether the library will certainly not touch its buffer any more
   */
  boolean cancel(int place, boolean receives) {
    owners[place] = null;
    if (receives) {
      return requests.cancel(place);
    }
    requests.abandon(place);
    return false;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int rank() {
    return world.rank();
  }

  @Override
  public int size() {
    return world.size();
  }

  /** No: MPI makes progress only while it is called, and wakes nobody. */
  @Override
  public boolean announces() {
    return false;
  }

  @Override
  public void onActivity(Runnable wakeUp) {}

  @Override
  public Channel world() {
    return world;
  }

  @Override
  public Channel split(int color) {
    try {
      long comm = watchdog.watch("MPI_Comm_split", () -> mpi.split(world.comm(), color, rank()));
      return newChannel(comm);
    } catch (MpiException e) {
      failed = true;
      throw new EngineException("cannot form a group: " + e.getMessage(), e);
    }
  }

  /** Frees a communicator; all its ranks do that. */
  void free(long comm) {
    comms.remove(Long.valueOf(comm));
    mpi.free(comm);
  }

  private MpiChannel newChannel(long comm) {
    comms.add(comm);
    return new MpiChannel(this, comm);
  }

  @Override
  public int progress() {
    try {
      int done = requests.testSome();
      for (int i = 0; i < done; i++) {
        int place = requests.place(i);
        Pending owner = owners[place];
        MpiException failure = requests.failure(i);
        if (owner != null) {
          owners[place] = null;
          owner.completed(place, failure == null ? requests.bytes(i) : 0, failure);
        }
      }
      return done;
    } catch (MpiException e) {
      failed = true;
      throw new EngineException("MPI failed: " + e.getMessage(), e);
    }
  }

  @Override
  public long graceNanos() {
    return GRACE_NANOS;
  }

  @Override
  public void abort(String reason) {
    failed = true;
    LOG.log(ERROR, "rank {0} ends the job: {1}", rank(), reason);
    mpi.abort(1);
  }

  @Override
  public void kill(String reason) {
    LOG.log(ERROR, "rank {0} ends, and its launcher ends the job: {1}", rank(), reason);
    Runtime.getRuntime().halt(1);
  }

  /** Yes: {@code MPI_Finalize} waits for all ranks, and takes a core for that. */
  @Override
  public boolean closesTogether() {
    return true;
  }

  /**
   * Finalises MPI, on the thread that has initialised it, as MPI wants it. All ranks are here, so
   * that should take no time. But MPICH 4.0 on UCX hangs in it now and then when there are several
   * hosts (in C, too): nobody has to wait for that.
   */
  @Override
  public void close() {
    if (failed) {
      return;
    }
    if (ownsMpi) {
      mpi.finish();
    } else {
      comms.forEach(mpi::free);
    }
    requests.close();
  }
}
