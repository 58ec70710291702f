// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.model;

import io.github.gemmflow.model.Explorer.Successors;
import io.github.gemmflow.model.Explorer.Violation;
import io.github.gemmflow.plan.StepOrder;
import io.github.gemmflow.tuning.Hosts;
import java.util.Arrays;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Model of the headers of gathering steps between hosts, and of the rows that come with them or by
 * themselves. Callers begin, lay, write, read and end steps; two steps of a rank may be open. The
 * communication thread of each rank looks at one step after the other, and may stop before each
 * look while everything else goes on, so that what it saw before is out of date. Messages are
 * matched in the order in which they were started, as {@link io.github.gemmflow.engine.Channel}
 * promises. What may leave, be published and start is decided by {@link StepOrder}, as in the
 * communication lane.
 *
 * <p>{@link SlotModel} and {@link SumModel} visit what happens to chunks and slots; there a header
 * is part of the beginning of its step.
 */
final class HeaderModel implements Explorer.Model {
  /** Error in the protocol, to see whether it is found. */
  enum Flaw {
    NONE,
    /** The header of a step leaves when it is due, whatever became of the one before. */
    HEADER_OVERTAKES,
    PUBLISH_IN_ANY_ORDER,
    /** A step begins although the communication thread has not finished the one before the last. */
    REUSE_BEFORE_SENT
  }

  /**
   * Step, as its ranks run it.
   *
   * @param withRows the ranks that have a chunk of rows
   * @param knowing the ranks that know all row counts: their headers wait for their rows
   * @param isSmall whether rows may travel with headers
   */
  record StepCase(Set<Integer> withRows, Set<Integer> knowing, boolean isSmall) {
    boolean hasRows(int rank) {
      return withRows.contains(rank);
    }

    boolean knowsCounts(int rank) {
      return knowing.contains(rank);
    }
  }

  private static final int BUFFERS = 2;

  // Phases of the step that a rank has begun last.
  private static final int OPENED = 0;
  private static final int LAID = 1;
  private static final int WRITTEN = 2;
  private static final int OVER = 3;

  // What a communication thread does next.
  private static final int IDLE = 0;
  private static final int COUNT_OPENED = 1;
  private static final int HEADERS = 2;
  private static final int CHUNKS = HEADERS + BUFFERS;
  private static final int FINISH = CHUNKS + BUFFERS;

  private final Hosts hosts;
  private final StepCase[] steps;
  private final int stopping;
  private final Flaw flaw;
  private final int ranks;
  private final int hostCount;
  private int size;

  // Where things lie in a state. Of each rank:
  private final int begun;
  private final int phase;
  private final int next;
  private final int seenLaid;
  private final int seenOpened;
  private final int headersLeft;
  private final int headersArrived;
  private final int chunksStarted;
  private final int finished;
  private final int posted;

  // Sets of steps, as bits.
  private final int late;
  private final int started;
  private final int sent;
  private final int alone;

  /** The messages with headers, in the order in which they left. */
  private final int messages;

  // Of each host, of each rank elsewhere:
  private final int delivered;
  private final int settled;
  private final int sendStarted;
  private final int sendDone;
  private final int receiveStarted;
  private final int receiveDone;

  // In the window of each host, of each rank:
  private final int headersHere;
  private final int rowsHere;
  private final int content;

  /**
   * A group that makes some steps.
   *
   * @param stopping the rank whose communication thread may stop before each look; those of others
   *     do at once what they can
   */
  HeaderModel(Hosts hosts, StepCase[] steps, int stopping, Flaw flaw) {
    this.hosts = hosts;
    this.stopping = stopping;
    this.steps = steps;
    this.flaw = flaw;
    this.ranks = hosts.ranks();
    this.hostCount = hosts.count();
    this.begun = room(ranks);
    this.phase = room(ranks);
    this.next = room(ranks);
    this.seenLaid = room(ranks);
    this.seenOpened = room(ranks);
    this.headersLeft = room(ranks);
    this.headersArrived = room(ranks);
    this.chunksStarted = room(ranks);
    this.finished = room(ranks);
    this.posted = room(ranks);
    this.late = room(ranks);
    this.started = room(ranks);
    this.sent = room(ranks);
    this.alone = room(ranks);
    this.messages = room(ranks * steps.length);
    this.delivered = room(hostCount * ranks);
    this.settled = room(hostCount * ranks);
    this.sendStarted = room(hostCount * ranks);
    this.sendDone = room(hostCount * ranks);
    this.receiveStarted = room(hostCount * ranks);
    this.receiveDone = room(hostCount * ranks);
    this.headersHere = room(hostCount * ranks);
    this.rowsHere = room(hostCount * ranks);
    this.content = room(hostCount * ranks * BUFFERS);
  }

  private int room(int bytes) {
    size += bytes;
    return size - bytes;
  }

  @Override
  public byte[] initial() {
    byte[] state = new byte[size];
    Arrays.fill(state, phase, phase + ranks, (byte) OVER);
    return state;
  }

  @Override
  public void expand(byte[] state, Successors successors) {
    int[] events = new int[1];
    Successors others =
        new Successors() {
          @Override
          public void add(Supplier<String> event, byte[] after) {
            events[0]++;
            successors.add(event, goOn(after));
          }

          @Override
          public void addFault(Supplier<String> event, byte[] after) {
            throw new AssertionError("there are no faults here");
          }
        };
    for (int rank = 0; rank < ranks; rank++) {
      call(state, rank, others);
      for (int host = 0; host < hostCount; host++) {
        if (host != hosts.hostOf(rank)) {
          deliver(state, rank, host, others);
        }
      }
    }
    waitLonger(state, stopping, others);
    // A poll that changes nothing now may see what happens while it is under way; but if nothing
    // else can happen, this is the end.
    boolean isUnderWay = state[next + stopping] != IDLE;
    if (isUnderWay || events[0] > 0 || !Arrays.equals(state, wholePoll(state, stopping))) {
      byte[] after = state.clone();
      look(after, stopping);
      successors.add(
          () -> "rank %d looks (%d)".formatted(stopping, (int) state[next + stopping]),
          goOn(after));
    }
  }

  /** The communication threads of the other ranks do all that they can do now. */
  private byte[] goOn(byte[] state) {
    byte[] before;
    byte[] after = state;
    do {
      before = after;
      for (int rank = 0; rank < ranks; rank++) {
        after = rank == stopping ? after : wholePoll(after, rank);
      }
    } while (!Arrays.equals(before, after));
    return after;
  }

  private byte[] wholePoll(byte[] state, int rank) {
    byte[] after = state.clone();
    do {
      look(after, rank);
    } while (after[next + rank] != IDLE);
    return after;
  }

  // The thread that runs steps.

  private void call(byte[] state, int rank, Successors successors) {
    int step = state[begun + rank] - 1;
    int now = state[phase + rank];
    if (now == OVER && step + 1 < steps.length && hasRoom(state, rank, step + 1)) {
      byte[] after = state.clone();
      after[begun + rank]++;
      after[phase + rank] = OPENED;
      publishHeader(after, hosts.hostOf(rank), rank, step + 1);
      successors.add(() -> "rank %d begins step %d".formatted(rank, step + 1), after);
    } else if (now == OPENED
        && (steps[step].knowsCounts(rank) || areHeadersHere(state, rank, step))) {
      byte[] after = state.clone();
      after[phase + rank] = LAID;
      successors.add(() -> "rank %d lays step %d".formatted(rank, step), after);
    } else if (now == LAID) {
      byte[] after = state.clone();
      after[phase + rank] = WRITTEN;
      write(after, hosts.hostOf(rank), rank, step);
      successors.add(() -> "rank %d writes its rows of step %d".formatted(rank, step), after);
    } else if (now == WRITTEN && isReadable(state, rank, step)) {
      byte[] after = state.clone();
      after[phase + rank] = OVER;
      read(state, rank, step);
      successors.add(() -> "rank %d ends step %d".formatted(rank, step), after);
    }
  }

  /** Whether lanes and communication threads of the host are done with the step before the last. */
  private boolean hasRoom(byte[] state, int rank, int step) {
    int host = hosts.hostOf(rank);
    for (int i = 0; i < hosts.size(host); i++) {
      int other = hosts.member(host, i);
      int over = state[begun + other] - (state[phase + other] == OVER ? 0 : 1);
      int done = flaw == Flaw.REUSE_BEFORE_SENT ? over : Math.min(over, state[finished + other]);
      if (done + BUFFERS <= step) {
        return false;
      }
    }
    return true;
  }

  private boolean areHeadersHere(byte[] state, int rank, int step) {
    for (int other = 0; other < ranks; other++) {
      if (state[at(headersHere, hosts.hostOf(rank), other)] <= step) {
        return false;
      }
    }
    return true;
  }

  private boolean isReadable(byte[] state, int rank, int step) {
    int host = hosts.hostOf(rank);
    for (int other = 0; other < ranks; other++) {
      boolean isWanted = steps[step].hasRows(other);
      if (isWanted
          && (state[at(rowsHere, host, other)] <= step
              || state[at(headersHere, host, other)] <= step
              || state[at(headersHere, host, chunkOwner(host, other))] <= step)) {
        return false;
      }
    }
    return true;
  }

  private void read(byte[] state, int rank, int step) {
    for (int other = 0; other < ranks; other++) {
      int held = state[contentAt(hosts.hostOf(rank), other, step)] - 1;
      if (steps[step].hasRows(other) && held != step) {
        throw new Violation(
            "rank %d reads rows of rank %d in step %d: they are those of step %d"
                .formatted(rank, other, step, held));
      }
    }
  }

  /** The header of an open step has waited for its rows as long as it may. */
  private void waitLonger(byte[] state, int rank, Successors successors) {
    for (int step = 0; step < state[begun + rank]; step++) {
      boolean waits = steps[step].knowsCounts(rank) && !has(state, sent, rank, step);
      if (waits && !has(state, late, rank, step)) {
        int waiting = step;
        byte[] after = state.clone();
        put(after, late, rank, step);
        successors.add(
            () -> "the header of rank %d has waited in step %d".formatted(rank, waiting), after);
        return;
      }
    }
  }

  // The network.

  private void deliver(byte[] state, int sender, int host, Successors successors) {
    int headers = state[at(delivered, host, sender)];
    if (headers < messagesOf(state, sender)
        && headers < state[posted + headerOwner(host, sender)]) {
      byte[] after = state.clone();
      after[at(delivered, host, sender)]++;
      successors.add(
          () -> "header message %d of rank %d arrives on host %d".formatted(headers, sender, host),
          after);
    }
    for (int buffer = 0; buffer < BUFFERS; buffer++) {
      int from = firstUnder(state, sendStarted, sendDone, host, sender, buffer);
      int to = firstUnder(state, receiveStarted, receiveDone, host, sender, buffer);
      if (from < steps.length && to < steps.length) {
        byte[] after = state.clone();
        put(after, sendDone, at(0, host, sender), from);
        put(after, receiveDone, at(0, host, sender), to);
        int rows = after[contentAt(hosts.hostOf(sender), sender, from)] - 1;
        after[contentAt(host, sender, to)] = (byte) (rows + 1);
        successors.add(
            () -> "rows of rank %d, step %d, arrive on host %d".formatted(sender, from, host),
            after);
      }
    }
  }

  /** The oldest transfer that is under way with the tag of a buffer: the first to be matched. */
  private int firstUnder(byte[] state, int begin, int end, int host, int sender, int buffer) {
    int step = buffer;
    while (step < steps.length
        && (!has(state, begin, at(0, host, sender), step)
            || has(state, end, at(0, host, sender), step))) {
      step += BUFFERS;
    }
    return step;
  }

  private int messagesOf(byte[] state, int rank) {
    return Integer.bitCount(state[sent + rank]);
  }

  // The communication thread, which may stop before each of these looks.

  private void look(byte[] state, int rank) {
    int what = state[next + rank];
    int first = state[finished + rank];
    if (what == IDLE) {
      state[seenLaid + rank] = (byte) laid(state, rank);
      state[next + rank] = COUNT_OPENED;
    } else if (what == COUNT_OPENED) {
      state[seenOpened + rank] = state[begun + rank];
      turnTo(state, rank, HEADERS);
    } else if (what < CHUNKS) {
      lookAtHeaders(state, rank, first + what - HEADERS);
      turnTo(state, rank, what + 1);
    } else if (what < FINISH) {
      lookAtChunks(state, rank, first + what - CHUNKS);
      turnTo(state, rank, what + 1);
    } else {
      while (state[finished + rank] < laid(state, rank)
          && isFinished(state, rank, state[finished + rank])) {
        state[finished + rank]++;
      }
      state[next + rank] = IDLE;
      // What it saw is forgotten, so that equal states are equal.
      state[seenLaid + rank] = 0;
      state[seenOpened + rank] = 0;
    }
  }

  /** Goes on to the next look that there is. */
  private void turnTo(byte[] state, int rank, int what) {
    int first = state[finished + rank];
    int opened = flaw == Flaw.HEADER_OVERTAKES ? state[begun + rank] : state[seenOpened + rank];
    int turn = what;
    while (turn < CHUNKS && first + turn - HEADERS >= opened) {
      turn++;
    }
    while (turn >= CHUNKS
        && turn < FINISH
        && (first + turn - CHUNKS >= state[seenLaid + rank]
            || !StepOrder.mayStart(first + turn - CHUNKS, state[chunksStarted + rank]))) {
      turn++;
    }
    state[next + rank] = (byte) turn;
  }

  private int laid(byte[] state, int rank) {
    return state[begun + rank] - (state[phase + rank] == OPENED ? 1 : 0);
  }

  private void lookAtHeaders(byte[] state, int rank, int step) {
    state[posted + rank] = (byte) Math.max(state[posted + rank], step + 1);
    if (step < state[seenLaid + rank] && !has(state, started, rank, step)) {
      put(state, started, rank, step);
      if (!waits(state, rank, step)) {
        put(state, alone, rank, step);
      }
    }
    int left = flaw == Flaw.HEADER_OVERTAKES ? step : state[headersLeft + rank];
    boolean areRowsThere = areRowsThere(state, rank, step);
    boolean isLate = has(state, late, rank, step);
    if (!has(state, sent, rank, step)
        && StepOrder.mayLeave(step, left, waits(state, rank, step), areRowsThere, isLate)) {
      state[messages + rank * steps.length + messagesOf(state, rank)] = (byte) step;
      put(state, sent, rank, step);
      if (!areRowsThere) {
        put(state, alone, rank, step);
      }
      for (int host = 0; host < hostCount; host++) {
        if (areRowsThere && isAboard(state, rank, host, step)) {
          put(state, sendStarted, at(0, host, rank), step);
          put(state, sendDone, at(0, host, rank), step);
        }
      }
    }
    int arrived = flaw == Flaw.PUBLISH_IN_ANY_ORDER ? step : state[headersArrived + rank];
    if (StepOrder.mayPublish(step, arrived)) {
      publishHeaders(state, rank, step);
    }
    if (step == state[headersLeft + rank] && has(state, sent, rank, step)) {
      state[headersLeft + rank]++;
    }
    if (step == state[headersArrived + rank] && hasAllHeaders(state, rank, step)) {
      state[headersArrived + rank]++;
    }
  }

  /** Whether the header waits for rows; once it has left, it does not. */
  private boolean waits(byte[] state, int rank, int step) {
    return steps[step].knowsCounts(rank) && !has(state, alone, rank, step);
  }

  private boolean areRowsThere(byte[] state, int rank, int step) {
    if (!has(state, started, rank, step)) {
      return false;
    }
    boolean isAnyAboard = false;
    for (int host = 0; host < hostCount; host++) {
      isAnyAboard |= isAboard(state, rank, host, step);
    }
    return !isAnyAboard || isWritten(state, rank, step);
  }

  private boolean isWritten(byte[] state, int rank, int step) {
    return step < state[begun + rank] - 1 || state[phase + rank] >= WRITTEN;
  }

  /** Whether rows of a rank travel to a host with its header, unless it leaves without them. */
  private boolean isAboard(byte[] state, int rank, int host, int step) {
    return mayBeAboard(rank, host, step) && !has(state, alone, rank, step);
  }

  private boolean mayBeAboard(int rank, int host, int step) {
    return host != hosts.hostOf(rank)
        && steps[step].isSmall
        && steps[step].hasRows(rank)
        && headerOwner(host, rank) == chunkOwner(host, rank);
  }

  private void publishHeaders(byte[] state, int rank, int step) {
    int host = hosts.hostOf(rank);
    for (int sender = 0; sender < ranks; sender++) {
      if (isHeaderSource(rank, sender)
          && state[at(delivered, host, sender)] > step
          && !isSettledOrPublished(state, host, sender, step)) {
        int about = state[messages + sender * steps.length + step];
        if (about != step) {
          throw new Violation(
              "rank %d takes the header of step %d of rank %d for that of step %d"
                  .formatted(rank, about, sender, step));
        }
        publishHeader(state, host, sender, step);
      }
    }
  }

  private boolean isSettledOrPublished(byte[] state, int host, int sender, int step) {
    return has(state, settled, at(0, host, sender), 2 * step);
  }

  private void publishHeader(byte[] state, int host, int rank, int step) {
    if (state[at(headersHere, host, rank)] > step) {
      throw new Violation("the headers of rank %d go back to step %d".formatted(rank, step));
    }
    state[at(headersHere, host, rank)] = (byte) (step + 1);
    put(state, settled, at(0, host, rank), 2 * step);
  }

  private boolean hasAllHeaders(byte[] state, int rank, int step) {
    boolean all = has(state, sent, rank, step);
    for (int sender = 0; sender < ranks; sender++) {
      all &=
          !isHeaderSource(rank, sender)
              || isSettledOrPublished(state, hosts.hostOf(rank), sender, step);
    }
    return all;
  }

  private void lookAtChunks(byte[] state, int rank, int step) {
    int host = hosts.hostOf(rank);
    for (int sender = 0; sender < ranks; sender++) {
      if (isHeaderSource(rank, sender)
          && isSettledOrPublished(state, host, sender, step)
          && !has(state, settled, at(0, host, sender), 2 * step + 1)) {
        settle(state, host, sender, step);
      }
      if (isChunkSource(rank, sender) && steps[step].hasRows(sender)) {
        boolean isWithHeader =
            mayBeAboard(sender, host, step)
                && !has(state, settled, at(0, host, sender), 2 * step + 1);
        if (has(state, receiveDone, at(0, host, sender), step)) {
          publishRows(state, host, sender, step);
        } else if (!isWithHeader) {
          put(state, receiveStarted, at(0, host, sender), step);
        }
      }
    }
    for (int other = 0; other < hostCount; other++) {
      if (other != host
          && steps[step].hasRows(rank)
          && isWritten(state, rank, step)
          && !isAboard(state, rank, other, step)) {
        put(state, sendStarted, at(0, other, rank), step);
      }
    }
    if (step == state[chunksStarted + rank] && areAllStarted(state, rank, step)) {
      state[chunksStarted + rank]++;
    }
  }

  /** Takes the rows that came with a header, or notes that they come by themselves. */
  private void settle(byte[] state, int host, int sender, int step) {
    put(state, settled, at(0, host, sender), 2 * step + 1);
    if (mayBeAboard(sender, host, step) && !has(state, alone, sender, step)) {
      put(state, receiveStarted, at(0, host, sender), step);
      put(state, receiveDone, at(0, host, sender), step);
      state[contentAt(host, sender, step)] =
          (byte) (state[messages + sender * steps.length + step] + 1);
      publishRows(state, host, sender, step);
    }
  }

  private boolean areAllStarted(byte[] state, int rank, int step) {
    return isOver(state, rank, step, sendStarted, receiveStarted);
  }

  private boolean isFinished(byte[] state, int rank, int step) {
    return hasAllHeaders(state, rank, step)
        && has(state, started, rank, step)
        && isOver(state, rank, step, sendDone, receiveDone)
        && haveRowsBeenPublished(state, rank, step);
  }

  private boolean isOver(byte[] state, int rank, int step, int sends, int receives) {
    boolean all = true;
    for (int other = 0; other < hostCount; other++) {
      boolean travels = other != hosts.hostOf(rank) && steps[step].hasRows(rank);
      all &= !travels || has(state, sends, at(0, other, rank), step);
    }
    for (int sender = 0; sender < ranks; sender++) {
      boolean travels = isChunkSource(rank, sender) && steps[step].hasRows(sender);
      all &= !travels || has(state, receives, at(0, hosts.hostOf(rank), sender), step);
    }
    return all;
  }

  private boolean haveRowsBeenPublished(byte[] state, int rank, int step) {
    for (int sender = 0; sender < ranks; sender++) {
      if (isChunkSource(rank, sender)
          && steps[step].hasRows(sender)
          && state[at(rowsHere, hosts.hostOf(rank), sender)] <= step) {
        return false;
      }
    }
    return true;
  }

  // Places.

  /** The rank that a rank's header goes to on another host. */
  private int headerOwner(int host, int rank) {
    return hosts.member(host, rank % hosts.size(host));
  }

  /** The rank that a rank's rows go to on another host: not always the same one. */
  private int chunkOwner(int host, int rank) {
    return host == hosts.hostOf(rank) ? rank : hosts.member(host, 0);
  }

  private boolean isHeaderSource(int rank, int sender) {
    int host = hosts.hostOf(rank);
    return hosts.hostOf(sender) != host && headerOwner(host, sender) == rank;
  }

  private boolean isChunkSource(int rank, int sender) {
    int host = hosts.hostOf(rank);
    return hosts.hostOf(sender) != host && chunkOwner(host, sender) == rank;
  }

  private void write(byte[] state, int host, int rank, int step) {
    if (steps[step].hasRows(rank)) {
      state[contentAt(host, rank, step)] = (byte) (step + 1);
      publishRows(state, host, rank, step);
    }
  }

  private void publishRows(byte[] state, int host, int rank, int step) {
    int place = at(rowsHere, host, rank);
    state[place] = (byte) Math.max(state[place], step + 1);
  }

  private int at(int what, int host, int rank) {
    return what + host * ranks + rank;
  }

  private int contentAt(int host, int rank, int step) {
    return content + (host * ranks + rank) * BUFFERS + step % BUFFERS;
  }

  private static boolean has(byte[] state, int set, int index, int bit) {
    return (state[set + index] >> bit & 1) != 0;
  }

  private static void put(byte[] state, int set, int index, int bit) {
    state[set + index] |= (byte) (1 << bit);
  }

  @Override
  public String checkEnd(byte[] state) {
    for (int rank = 0; rank < ranks; rank++) {
      if (state[begun + rank] < steps.length
          || state[phase + rank] != OVER
          || state[finished + rank] < steps.length) {
        return "deadlock: rank %d waits for ever in step %d"
            .formatted(rank, state[begun + rank] - 1);
      }
    }
    return "";
  }
}
