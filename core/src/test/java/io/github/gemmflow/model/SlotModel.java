// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.model;

import io.github.gemmflow.model.Explorer.Successors;
import io.github.gemmflow.model.Explorer.Violation;
import io.github.gemmflow.plan.Domains;
import io.github.gemmflow.plan.NextTransfer;
import io.github.gemmflow.plan.Plan;
import io.github.gemmflow.plan.Slots;
import io.github.gemmflow.plan.StepPlan;
import io.github.gemmflow.plan.Transfers;
import java.util.Arrays;

/**
 * The slot protocol of streamed steps, as a model whose every order of events can be visited. Where
 * rows go, who sends them, what a comm lane starts next and which slots may be filled are the
 * plan's own functions; a compute lane may read any chunk that is ready, not only the one that
 * {@code NextRun} would choose, so the result holds for any choice.
 *
 * <p>What only lets others go on (starting a transfer that may start, seeing that one is done,
 * passing a slot that is not read) happens at once: whatever could happen with a delay can then
 * still happen. A transfer that is started at both ends is delivered at any later time, a read has
 * a beginning and an end, and one rank may crash between any two events.
 */
final class SlotModel implements Explorer.Model {
  /** What is wrong with the protocol, to see whether that is found. */
  enum Flaw {
    NONE,
    PUBLISH_BEFORE_DATA,
    REUSE_BEFORE_CONSUMED,
    NEVER_REUSE
  }

  private final Domains domains;
  private final StepPlan[] plans;
  private final Transfers[] transfers;
  private final int slots;
  private final int inFlight;
  private final Flaw flaw;
  private final int ranks;
  private final int routes;
  private final int bands;
  private final int parts;

  // Where things lie in a state.
  private int size;
  private final int stepOf;
  private final int readingOf;
  private final int crashed;
  private final int fed;
  private final int taken;
  private final int arrived;
  private final int passed;
  private final int stepsPassed;
  private final int content;
  private final int[][][] sent;
  private final int[][][] received;

  /**
   * A group that makes some steps of the same plan.
   *
   * @param rowsPerRank the rows of each rank in each step
   */
  SlotModel(Plan plan, long[][] rowsPerRank, Flaw flaw) {
    this.domains = plan.domains();
    this.slots = plan.problem().capacity().slots();
    this.inFlight = plan.tuning().inFlight();
    this.flaw = flaw;
    this.ranks = domains.ranks();
    this.routes = plan.routes();
    this.bands = plan.bands();
    this.parts = plan.parts();
    this.plans = new StepPlan[rowsPerRank.length];
    this.transfers = new Transfers[plans.length * ranks];
    this.stepOf = room(ranks);
    this.readingOf = room(ranks);
    this.crashed = room(1);
    this.fed = room(ranks * parts);
    this.taken = room(ranks * bands);
    this.arrived = room(domains.count() * routes);
    this.passed = room(domains.count() * bands * 2 * ranks);
    this.stepsPassed = room(2 * ranks);
    this.content = room(domains.count() * slots * routes);
    this.sent = new int[plans.length][ranks][];
    this.received = new int[plans.length][ranks][];
    for (int step = 0; step < plans.length; step++) {
      plans[step] = plan.step();
      plans[step].lay(rowsPerRank[step]);
      for (int rank = 0; rank < ranks; rank++) {
        Transfers mine = new Transfers(rank);
        mine.of(plans[step]);
        transfers[step * ranks + rank] = mine;
        sent[step][rank] = streamRoom(mine.sends().count());
        received[step][rank] = streamRoom(mine.receives().count());
      }
    }
  }

  private int room(int bytes) {
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

  @Override
  public byte[] initial() {
    byte[] state = new byte[size];
    for (int rank = 0; rank < ranks; rank++) {
      state[stepOf + rank] = -1;
      state[readingOf + rank] = -1;
    }
    return state;
  }

  // What follows a state.

  @Override
  public void expand(byte[] state, Successors next) {
    for (int rank = 0; rank < ranks; rank++) {
      if (state[crashed] != rank + 1) {
        compute(state, rank, next);
        deliver(state, rank, next);
        crash(state, rank, next);
      }
    }
  }

  private void crash(byte[] state, int rank, Successors next) {
    if (state[crashed] == 0) {
      byte[] after = state.clone();
      after[crashed] = (byte) (rank + 1);
      next.addFault(() -> "rank %d crashes".formatted(rank), after);
    }
  }

  private void compute(byte[] state, int rank, Successors next) {
    int step = state[stepOf + rank];
    int reading = state[readingOf + rank];
    if (isOver(state, rank)) {
      if (step + 1 < plans.length && hasRoomForStep(state, rank, step + 1)) {
        next.add(() -> "rank %d begins step %d".formatted(rank, step + 1), begin(state, rank));
      }
      return;
    }
    for (int part = 0; part < parts; part++) {
      feed(state, rank, part, next);
    }
    if (reading >= 0) {
      next.add(() -> "rank %d has read band %d".formatted(rank, reading), endRead(state, rank));
      return;
    }
    for (int band = 0; band < bands; band++) {
      if (isReadable(state, rank, band)) {
        beginRead(state, rank, band, next);
      }
    }
  }

  private void beginRead(byte[] state, int rank, int band, Successors next) {
    byte[] after = state.clone();
    after[readingOf + rank] = (byte) band;
    checkRead(after, rank, band);
    next.add(() -> "rank %d begins to read band %d".formatted(rank, band), after);
  }

  /** Whether a rank has begun no step, or has done all that it has to do in the one it is in. */
  private boolean isOver(byte[] state, int rank) {
    int step = state[stepOf + rank];
    if (step < 0) {
      return true;
    }
    for (int part = 0; part < parts; part++) {
      if (feeds(step, rank)
          && state[fed + rank * parts + part] < chunks(step, band(step, rank, part))) {
        return false;
      }
    }
    for (int band = 0; band < bands; band++) {
      if (!plans[step].isReadAtHome(band, rank)
          && state[taken + rank * bands + band] < chunks(step, band)) {
        return false;
      }
    }
    return true;
  }

  private boolean hasRoomForStep(byte[] state, int rank, int step) {
    long slowest = Long.MAX_VALUE;
    for (int reader = 0; reader < 2 * ranks; reader++) {
      if (domains.of(reader % ranks) == domains.of(rank)) {
        slowest = Math.min(slowest, state[stepsPassed + reader]);
      }
    }
    return step < Slots.filledUpTo(slowest, 2);
  }

  private byte[] begin(byte[] state, int rank) {
    byte[] after = state.clone();
    after[stepOf + rank]++;
    int step = after[stepOf + rank];
    Arrays.fill(after, fed + rank * parts, fed + (rank + 1) * parts, (byte) 0);
    Arrays.fill(after, taken + rank * bands, taken + (rank + 1) * bands, (byte) 0);
    for (int band = 0; band < bands; band++) {
      if (plans[step].isReadAtHome(band, rank)) {
        pass(after, rank, band, use(step, band), chunks(step, band));
      }
    }
    for (int part = 0; !feeds(step, rank) && part < parts; part++) {
      int route = plans[step].route(part, rank);
      publish(after, domains.of(rank), route, base(step, route) + plans[step].chunks(route));
    }
    if (isOver(after, rank)) {
      after[stepsPassed + rank] = (byte) (step + 1);
    }
    return pump(after);
  }

  private void feed(byte[] state, int rank, int part, Successors next) {
    int step = state[stepOf + rank];
    int band = band(step, rank, part);
    int chunk = state[fed + rank * parts + part];
    if (!feeds(step, rank)
        || chunk >= chunks(step, band)
        || use(step, band) + chunk >= filledUpTo(state, domains.of(rank), band)) {
      return;
    }
    byte[] after = state.clone();
    int route = plans[step].route(part, rank);
    write(after, domains.of(rank), step, route, chunk);
    after[fed + rank * parts + part]++;
    publish(after, domains.of(rank), route, base(step, route) + chunk + 1);
    if (isOver(after, rank)) {
      after[stepsPassed + rank] = (byte) (step + 1);
    }
    next.add(() -> "rank %d feeds chunk %d of route %d".formatted(rank, chunk, route), pump(after));
  }

  private boolean isReadable(byte[] state, int rank, int band) {
    int step = state[stepOf + rank];
    int chunk = state[taken + rank * bands + band];
    if (plans[step].isReadAtHome(band, rank) || chunk >= chunks(step, band)) {
      return false;
    }
    for (int i = 0; i < plans[step].bandRoutes(); i++) {
      int route = plans[step].bandRoute(band, i);
      if (state[arrived + domains.of(rank) * routes + route] <= base(step, route) + chunk) {
        return false;
      }
    }
    return true;
  }

  private byte[] endRead(byte[] state, int rank) {
    byte[] after = state.clone();
    int step = after[stepOf + rank];
    int band = after[readingOf + rank];
    checkRead(after, rank, band);
    after[readingOf + rank] = -1;
    after[taken + rank * bands + band]++;
    pass(after, rank, band, use(step, band), after[taken + rank * bands + band]);
    if (isOver(after, rank)) {
      after[stepsPassed + rank] = (byte) (step + 1);
    }
    return pump(after);
  }

  /** A chunk at the head of a stream arrives, if both ends have started it. */
  private void deliver(byte[] state, int sender, Successors next) {
    for (int step = 0; step <= state[stepOf + sender]; step++) {
      Transfers.Streams sends = transfers[step * ranks + sender].sends();
      for (int i = 0; i < sends.count(); i++) {
        int at = sent[step][sender][i];
        int receiver = sends.peer(i);
        int route = sends.route(i);
        int there = receiverRoom(step, receiver, route);
        int chunk = state[at + 1];
        if (state[crashed] == receiver + 1 || state[at] <= chunk || state[there] <= chunk) {
          continue;
        }
        byte[] after = state.clone();
        if (plans[step].shard(route) != sender) {
          check(after, sender, step, route, chunk);
        }
        write(after, domains.of(receiver), step, route, chunk);
        after[at + 1]++;
        after[there + 1]++;
        if (flaw != Flaw.PUBLISH_BEFORE_DATA) {
          publish(after, domains.of(receiver), route, base(step, route) + chunk + 1);
        }
        next.add(
            () ->
                "chunk %d of route %d goes from rank %d to rank %d"
                    .formatted(chunk, route, sender, receiver),
            pump(after));
      }
    }
  }

  private int receiverRoom(int step, int receiver, int route) {
    Transfers.Streams receives = transfers[step * ranks + receiver].receives();
    for (int i = 0; i < receives.count(); i++) {
      if (receives.route(i) == route) {
        return received[step][receiver][i];
      }
    }
    throw new Violation("nobody receives route %d".formatted(route));
  }

  // What the comm lanes do at once.

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
      moved |= passForwarded(state, rank, step, mine.sends());
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
      available[i] = receives ? free(state, rank, step, route) : there(state, rank, step, route);
      started[i] = state[room[i]];
      done[i] = state[room[i] + 1];
    }
    int chosen = NextTransfer.choose(count, available, started, done, inFlight);
    if (chosen == NextTransfer.NONE) {
      return false;
    }
    state[room[chosen]]++;
    if (receives && flaw == Flaw.PUBLISH_BEFORE_DATA) {
      int route = streams.route(chosen);
      publish(state, domains.of(rank), route, base(step, route) + state[room[chosen]]);
    }
    return true;
  }

  private long free(byte[] state, int rank, int step, int route) {
    int band = plans[step].band(route);
    long free = filledUpTo(state, domains.of(rank), band) - use(step, band);
    return Math.min(plans[step].chunks(route), free);
  }

  private long there(byte[] state, int rank, int step, int route) {
    long chunks = plans[step].chunks(route);
    if (plans[step].shard(route) == rank) {
      return chunks;
    }
    int here = state[arrived + domains.of(rank) * routes + route];
    return Math.min(chunks, here - base(step, route));
  }

  private boolean passForwarded(byte[] state, int rank, int step, Transfers.Streams sends) {
    boolean moved = false;
    for (int band = 0; band < bands; band++) {
      long forwarded = chunks(step, band);
      for (int i = 0; i < sends.count(); i++) {
        int route = sends.route(i);
        if (plans[step].band(route) == band && plans[step].shard(route) != rank) {
          forwarded = Math.min(forwarded, state[sent[step][rank][i] + 1]);
        }
      }
      moved |= pass(state, ranks + rank, band, use(step, band), forwarded);
    }
    return moved;
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
      if (state[room[i] + offset] < plans[step].chunks(streams.route(i))) {
        return false;
      }
    }
    return true;
  }

  // Counters and slots.

  private int chunks(int step, int band) {
    return (int) plans[step].bandChunks(band);
  }

  private int band(int step, int rank, int part) {
    return plans[step].band(plans[step].route(part, rank));
  }

  /** Whether a rank has to bring its rows into slots: for its neighbours, or along columns. */
  private boolean feeds(int step, int rank) {
    return domains.size(domains.of(rank)) > 1 || plans[step].plan().problem().isAlongColumns();
  }

  private int base(int step, int route) {
    int sum = 0;
    for (int before = 0; before < step; before++) {
      sum += (int) plans[before].chunks(route);
    }
    return sum;
  }

  private int use(int step, int band) {
    int sum = 0;
    for (int before = 0; before < step; before++) {
      sum += chunks(before, band);
    }
    return sum;
  }

  private void publish(byte[] state, int domain, int route, long chunks) {
    int at = arrived + domain * routes + route;
    if (chunks < state[at]) {
      throw new Violation("the arrivals of route %d go back to %d".formatted(route, chunks));
    }
    state[at] = (byte) chunks;
  }

  private int passedAt(int reader, int band) {
    return passed + (domains.of(reader % ranks) * bands + band) * 2 * ranks + reader;
  }

  private boolean pass(byte[] state, int reader, int band, long from, long chunks) {
    int at = passedAt(reader, band);
    if (state[at] < from || state[at] >= from + chunks) {
      return false;
    }
    state[at] = (byte) (from + chunks);
    return true;
  }

  private long filledUpTo(byte[] state, int domain, int band) {
    if (flaw == Flaw.REUSE_BEFORE_CONSUMED) {
      return Long.MAX_VALUE;
    }
    if (flaw == Flaw.NEVER_REUSE) {
      return slots;
    }
    return Slots.filledUpTo(slowest(state, domain, band), slots);
  }

  private long slowest(byte[] state, int domain, int band) {
    long slowest = Long.MAX_VALUE;
    for (int i = 0; i < domains.size(domain); i++) {
      int rank = domains.member(domain, i);
      slowest = Math.min(slowest, state[passedAt(rank, band)]);
      slowest = Math.min(slowest, state[passedAt(ranks + rank, band)]);
    }
    return slowest;
  }

  private int contentAt(int domain, long use, int route) {
    return content + (domain * slots + Slots.slot(use, slots)) * routes + route;
  }

  /** Fills a slot; what it held must have been read by all who need it. */
  private void write(byte[] state, int domain, int step, int route, int chunk) {
    int use = use(step, plans[step].band(route)) + chunk;
    int at = contentAt(domain, use, route);
    int old = state[at] - 1;
    if (old >= 0 && slowest(state, domain, plans[step].band(route)) <= old) {
      throw new Violation(
          "use %d of route %d in domain %d overwrites use %d, which is not read yet"
              .formatted(use, route, domain, old));
    }
    state[at] = (byte) (use + 1);
  }

  private void checkRead(byte[] state, int rank, int band) {
    int step = state[stepOf + rank];
    int chunk = state[taken + rank * bands + band];
    for (int i = 0; i < plans[step].bandRoutes(); i++) {
      int route = plans[step].bandRoute(band, i);
      check(state, rank, step, route, chunk);
    }
  }

  /** What a rank reads must be what it wants to read. */
  private void check(byte[] state, int rank, int step, int route, int chunk) {
    int domain = domains.of(rank);
    int use = use(step, plans[step].band(route)) + chunk;
    int held = state[contentAt(domain, use, route)] - 1;
    if (held != use) {
      throw new Violation(
          "rank %d reads use %d of route %d, but the slot holds %s"
              .formatted(rank, use, route, held < 0 ? "nothing" : "use " + held));
    }
  }

  /**
   * Without a crash everybody is done. After one, survivors wait, until their deadline, only in
   * steps that the crashed rank had not finished.
   */
  @Override
  public String checkEnd(byte[] state) {
    for (int rank = 0; rank < ranks; rank++) {
      int step = state[stepOf + rank];
      boolean waits = !isOver(state, rank) || step < plans.length - 1;
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
