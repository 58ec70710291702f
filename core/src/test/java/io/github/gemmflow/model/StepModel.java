// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.model;

import io.github.gemmflow.model.Explorer.Successors;
import io.github.gemmflow.model.Explorer.Violation;
import io.github.gemmflow.plan.Layout;
import io.github.gemmflow.plan.NextTransfer;
import io.github.gemmflow.plan.Slots;
import io.github.gemmflow.plan.Transfers;
import io.github.gemmflow.tuning.Hosts;
import java.util.function.BiConsumer;

/**
 * Model of a group that makes some steps, whose every order of events can be visited. It has what
 * all kinds of steps share: rooms for two steps at a time, streams of chunks between hosts, and one
 * rank that may crash between any two events. What a rank sends, to whom and in which order are the
 * plan's own functions.
 *
 * <p>What only lets others go on (starting a transfer that may start, seeing that one is done,
 * passing a slot that is not read) happens at once: whatever could happen with a delay can then
 * still happen. A transfer that is started at both ends is delivered at any later time.
 */
abstract class StepModel<L extends Layout> implements Explorer.Model {
  private static final int ROOMS = 2;

  private final Hosts hosts;
  private final L[] layouts;
  private final Transfers[] transfers;
  private final int ranks;
  private final int routes;

  /** The chunks of each route in each step, and in all steps before it: asked all the time. */
  private final int[][] chunks;

  private final int[][] base;

  // Where things lie in a state.
  private int size;
  private final int stepOf;
  private final int crashed;
  private final int arrived;
  private final int stepsPassed;
  private final int[][][] sent;
  private final int[][][] received;

  /**
   * A group that makes some steps.
   *
   * @param layouts of each step
   * @param find finds the transfers of a rank in a step
   */
  StepModel(Hosts hosts, L[] layouts, BiConsumer<Transfers, L> find) {
    this.hosts = hosts;
    this.layouts = layouts;
    this.ranks = hosts.ranks();
    this.routes = layouts[0].routes();
    this.chunks = new int[layouts.length][routes];
    this.base = new int[layouts.length + 1][routes];
    for (int step = 0; step < layouts.length; step++) {
      for (int route = 0; route < routes; route++) {
        chunks[step][route] = (int) layouts[step].chunks(route);
        base[step + 1][route] = base[step][route] + chunks[step][route];
      }
    }
    this.transfers = new Transfers[layouts.length * ranks];
    this.stepOf = room(ranks);
    this.crashed = room(1);
    this.arrived = room(hosts.count() * routes);
    this.stepsPassed = room(2 * ranks);
    this.sent = new int[layouts.length][ranks][];
    this.received = new int[layouts.length][ranks][];
    for (int step = 0; step < layouts.length; step++) {
      for (int rank = 0; rank < ranks; rank++) {
        Transfers mine = new Transfers(rank);
        find.accept(mine, layouts[step]);
        transfers[step * ranks + rank] = mine;
        sent[step][rank] = streamRoom(mine.sends().count());
        received[step][rank] = streamRoom(mine.receives().count());
      }
    }
  }

  /** Room for so many bytes in a state. */
  final int room(int bytes) {
    size += bytes;
    return size - bytes;
  }

  /**
   * For each stream, where it is said how many chunks are started; behind it, how many are done.
   */
  private int[] streamRoom(int streams) {
    int[] room = new int[streams];
    for (int i = 0; i < streams; i++) {
      room[i] = room(2);
    }
    return room;
  }

  // What kinds of steps differ in.

  /** Sets up what is not 0 before the first event. */
  abstract void initialise(byte[] state);

  /** Whether a rank has done all that it has to do in the step that it is in. */
  abstract boolean isWorkDone(byte[] state, int rank);

  /** A rank begins the step that it is in. */
  abstract void start(byte[] state, int rank);

  /** Hands on what the compute threads of a rank can do, which is not done with its step. */
  abstract void compute(byte[] state, int rank, Successors next);

  /** How many chunks of a route a rank may send. */
  abstract long sendable(byte[] state, int rank, int step, int route);

  /** How many chunks of a route a rank has room for. */
  abstract long receivable(byte[] state, int rank, int step, int route);

  /** Looks at a chunk as it leaves. */
  abstract void checkSent(byte[] state, int sender, int step, int route, int chunk);

  /** Writes a chunk that comes in. */
  abstract void receive(byte[] state, int receiver, int step, int route, int chunk);

  /** A rank is ready to receive a chunk. */
  void noteReceiveStarted(byte[] state, int rank, int step, int route, int chunks) {}

  /**
   * The communication thread of a rank lets go of slots; returns whether of more than before.
   *
   * @param sent where the progress of each stream is, for {@link #finished}
   */
  abstract boolean passSent(byte[] state, int rank, int step, Transfers.Streams sends, int[] sent);

  /** How many chunks of a stream are sent. */
  static int finished(byte[] state, int[] sent, int stream) {
    return state[sent[stream] + 1];
  }

  // What they share.

  final Hosts hosts() {
    return hosts;
  }

  final int ranks() {
    return ranks;
  }

  final L layout(int step) {
    return layouts[step];
  }

  final int stepOf(byte[] state, int rank) {
    return state[stepOf + rank];
  }

  /** How many chunks of a route there were in all steps before one. */
  final int base(int step, int route) {
    return base[step][route];
  }

  /** How many chunks of a route there are in a step. */
  final int chunks(int step, int route) {
    return chunks[step][route];
  }

  final void publish(byte[] state, int host, int route, long chunks) {
    int at = arrived + host * routes + route;
    if (chunks < state[at]) {
      throw new Violation("the arrivals of route %d go back to %d".formatted(route, chunks));
    }
    state[at] = (byte) chunks;
  }

  /** How many chunks of a route are in a host, over all steps. */
  final int arrived(byte[] state, int host, int route) {
    return state[arrived + host * routes + route];
  }

  @Override
  public final byte[] initial() {
    byte[] state = new byte[size];
    for (int rank = 0; rank < ranks; rank++) {
      state[stepOf + rank] = -1;
    }
    initialise(state);
    return state;
  }

  @Override
  public final void expand(byte[] state, Successors next) {
    for (int rank = 0; rank < ranks; rank++) {
      if (state[crashed] == rank + 1) {
        continue;
      }
      int step = state[stepOf + rank];
      if (!isOver(state, rank)) {
        compute(state, rank, next);
      } else if (step + 1 < layouts.length && hasRoomForStep(state, rank, step + 1)) {
        int mine = rank;
        next.add(() -> "rank %d begins step %d".formatted(mine, step + 1), begin(state, rank));
      }
      deliver(state, rank, next);
      crash(state, rank, next);
    }
  }

  private void crash(byte[] state, int rank, Successors next) {
    if (state[crashed] == 0) {
      byte[] after = state.clone();
      after[crashed] = (byte) (rank + 1);
      next.addFault(() -> "rank %d crashes".formatted(rank), after);
    }
  }

  /** Whether a rank has begun no step, or has done all that it has to do in the one it is in. */
  private boolean isOver(byte[] state, int rank) {
    return state[stepOf + rank] < 0 || isWorkDone(state, rank);
  }

  private boolean hasRoomForStep(byte[] state, int rank, int step) {
    long slowest = Long.MAX_VALUE;
    for (int reader = 0; reader < 2 * ranks; reader++) {
      if (hosts.hostOf(reader % ranks) == hosts.hostOf(rank)) {
        slowest = Math.min(slowest, state[stepsPassed + reader]);
      }
    }
    return step < Slots.filledUpTo(slowest, ROOMS);
  }

  private byte[] begin(byte[] state, int rank) {
    byte[] after = state.clone();
    after[stepOf + rank]++;
    start(after, rank);
    return settle(after, rank);
  }

  /** What follows at once from what a rank has done. */
  final byte[] settle(byte[] state, int rank) {
    if (isOver(state, rank)) {
      state[stepsPassed + rank] = (byte) (state[stepOf + rank] + 1);
    }
    return pump(state);
  }

  /** A chunk at the head of a stream arrives, if both ends have started it. */
  private void deliver(byte[] state, int sender, Successors next) {
    for (int step = 0; step <= state[stepOf + sender]; step++) {
      Transfers.Streams sends = transfers[step * ranks + sender].sends();
      for (int i = 0; i < sends.count(); i++) {
        int at = sent[step][sender][i];
        int receiver = sends.peer(i);
        int route = sends.route(i);
        int there = receiverRoom(step, receiver, sender, route);
        int chunk = state[at + 1];
        if (state[crashed] == receiver + 1 || state[at] <= chunk || state[there] <= chunk) {
          continue;
        }
        byte[] after = state.clone();
        checkSent(after, sender, step, route, chunk);
        after[at + 1]++;
        after[there + 1]++;
        receive(after, receiver, step, route, chunk);
        next.add(
            () ->
                "chunk %d of route %d goes from rank %d to rank %d"
                    .formatted(chunk, route, sender, receiver),
            pump(after));
      }
    }
  }

  private int receiverRoom(int step, int receiver, int sender, int route) {
    Transfers.Streams receives = transfers[step * ranks + receiver].receives();
    for (int i = 0; i < receives.count(); i++) {
      if (receives.route(i) == route && receives.peer(i) == sender) {
        return received[step][receiver][i];
      }
    }
    throw new Violation("nobody receives route %d".formatted(route));
  }

  // What the communication threads do at once.

  private byte[] pump(byte[] state) {
    boolean moved = true;
    while (moved) {
      moved = false;
      for (int rank = 0; rank < ranks; rank++) {
        moved |= state[crashed] != rank + 1 && poll(state, rank);
      }
    }
    return state;
  }

  private boolean poll(byte[] state, int rank) {
    boolean moved = false;
    boolean finished = true;
    for (int step = 0; step <= state[stepOf + rank]; step++) {
      Transfers mine = transfers[step * ranks + rank];
      moved |= passSent(state, rank, step, mine.sends(), sent[step][rank]);
      moved |= start(state, rank, step, mine.receives(), received[step][rank], true);
      moved |= start(state, rank, step, mine.sends(), sent[step][rank], false);
      finished &= isFinished(state, step, mine, rank);
      if (finished && state[stepsPassed + ranks + rank] <= step) {
        state[stepsPassed + ranks + rank] = (byte) (step + 1);
        moved = true;
      }
      if (!isAllStarted(state, step, mine, rank)) {
        break;
      }
    }
    return moved;
  }

  private boolean start(
      byte[] state, int rank, int step, Transfers.Streams streams, int[] room, boolean receives) {
    int count = streams.count();
    long[] available = new long[count];
    long[] started = new long[count];
    long[] done = new long[count];
    for (int i = 0; i < count; i++) {
      int route = streams.route(i);
      available[i] =
          receives ? receivable(state, rank, step, route) : sendable(state, rank, step, route);
      started[i] = state[room[i]];
      done[i] = state[room[i] + 1];
    }
    int inFlight = layouts[step].inFlight();
    int chosen = NextTransfer.choose(count, available, started, done, inFlight);
    if (chosen == NextTransfer.NONE) {
      return false;
    }
    state[room[chosen]]++;
    if (receives) {
      noteReceiveStarted(state, rank, step, streams.route(chosen), state[room[chosen]]);
    }
    return true;
  }

  private boolean isAllStarted(byte[] state, int step, Transfers mine, int rank) {
    return areAt(state, step, mine.sends(), sent[step][rank], 0)
        && areAt(state, step, mine.receives(), received[step][rank], 0);
  }

  private boolean isFinished(byte[] state, int step, Transfers mine, int rank) {
    return areAt(state, step, mine.sends(), sent[step][rank], 1)
        && areAt(state, step, mine.receives(), received[step][rank], 1);
  }

  private boolean areAt(byte[] state, int step, Transfers.Streams streams, int[] room, int offset) {
    for (int i = 0; i < streams.count(); i++) {
      if (state[room[i] + offset] < chunks[step][streams.route(i)]) {
        return false;
      }
    }
    return true;
  }

  /**
   * Without a crash everybody is done. After one, survivors wait, until their deadline, only in
   * steps that the crashed rank had not finished.
   */
  @Override
  public final String checkEnd(byte[] state) {
    for (int rank = 0; rank < ranks; rank++) {
      int step = state[stepOf + rank];
      boolean waits = !isOver(state, rank) || step < layouts.length - 1;
      boolean forCrashed = state[crashed] != 0 && !hasFinished(state, state[crashed] - 1, step);
      if (waits && state[crashed] != rank + 1 && !forCrashed) {
        return "deadlock: rank %d waits for ever in step %d".formatted(rank, step);
      }
    }
    return "";
  }

  private boolean hasFinished(byte[] state, int rank, int step) {
    return state[stepsPassed + rank] > step && state[stepsPassed + ranks + rank] > step;
  }
}
