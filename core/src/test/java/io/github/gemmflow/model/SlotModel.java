// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.model;

import io.github.gemmflow.model.Explorer.Successors;
import io.github.gemmflow.model.Explorer.Violation;
import io.github.gemmflow.plan.GatherLayout;
import io.github.gemmflow.plan.GatherPlan;
import io.github.gemmflow.plan.Slots;
import io.github.gemmflow.plan.Transfers;
import java.util.Arrays;

/**
 * Model of the slot protocol of streamed steps. Where rows go and which slots may be filled are the
 * plan's own functions; a compute lane may read any chunk that is ready, not only those that {@code
 * NextRun} would choose, so the result holds for any choice. A read has a beginning and an end.
 */
final class SlotModel extends StepModel<GatherLayout> {
  /** What is wrong with the protocol, to see whether that is found. */
  enum Flaw {
    NONE,
    PUBLISH_BEFORE_DATA,
    REUSE_BEFORE_CONSUMED,
    NEVER_REUSE
  }

  private final int slots;
  private final Flaw flaw;
  private final int ranks;
  private final int routes;
  private final int bands;
  private final int parts;

  /** The chunks of each band in each step: asked all the time. */
  private final int[][] bandChunks;

  /** The slots that each band took in all steps before. */
  private final int[][] use;

  /** The most chunks that share a slot. */
  private final int slotChunks;

  // Where things lie in a state.
  private final int readingOf;
  private final int fed;
  private final int taken;
  private final int passed;
  private final int content;

  /**
   * A group that makes some steps of the same plan.
   *
   * @param rowsPerRank the rows of each rank in each step
   */
  SlotModel(GatherPlan plan, long[][] rowsPerRank, Flaw flaw) {
    super(plan.hosts(), layouts(plan, rowsPerRank), Transfers::fill);
    this.slots = plan.problem().capacity().slots();
    this.flaw = flaw;
    this.ranks = ranks();
    this.routes = plan.routes();
    this.bands = plan.bands();
    this.parts = plan.parts();
    this.bandChunks = new int[rowsPerRank.length][bands];
    this.use = new int[rowsPerRank.length + 1][bands];
    int mostChunks = 1;
    for (int step = 0; step < bandChunks.length; step++) {
      for (int band = 0; band < bands; band++) {
        GatherLayout layout = layout(step);
        bandChunks[step][band] = (int) layout.bandChunks(band);
        use[step + 1][band] = use[step][band] + (int) layout.bandSlots(band);
        long most = Math.min(layout.slotChunks(band), layout.bandChunks(band));
        mostChunks = Math.max(mostChunks, (int) most);
      }
    }
    this.slotChunks = mostChunks;
    this.readingOf = room(ranks);
    this.fed = room(ranks * parts);
    this.taken = room(ranks * bands);
    this.passed = room(hosts().count() * bands * 2 * ranks);
    this.content = room(hosts().count() * slots * slotChunks * routes);
  }

  private static GatherLayout[] layouts(GatherPlan plan, long[][] rowsPerRank) {
    GatherLayout[] layouts = new GatherLayout[rowsPerRank.length];
    for (int step = 0; step < layouts.length; step++) {
      layouts[step] = plan.step();
      layouts[step].lay(rowsPerRank[step]);
    }
    return layouts;
  }

  @Override
  void initialise(byte[] state) {
    Arrays.fill(state, readingOf, readingOf + ranks, (byte) -1);
  }

  @Override
  void compute(byte[] state, int rank, Successors next) {
    int reading = state[readingOf + rank];
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

  @Override
  boolean isWorkDone(byte[] state, int rank) {
    int step = stepOf(state, rank);
    for (int part = 0; part < parts; part++) {
      if (feeds(step, rank)
          && state[fed + rank * parts + part] < bandChunks(step, band(step, rank, part))) {
        return false;
      }
    }
    for (int band = 0; band < bands; band++) {
      if (!layout(step).isReadFromOwnRows(band, rank)
          && state[taken + rank * bands + band] < bandChunks(step, band)) {
        return false;
      }
    }
    return true;
  }

  @Override
  void start(byte[] state, int rank) {
    int step = stepOf(state, rank);
    Arrays.fill(state, fed + rank * parts, fed + (rank + 1) * parts, (byte) 0);
    Arrays.fill(state, taken + rank * bands, taken + (rank + 1) * bands, (byte) 0);
    for (int band = 0; band < bands; band++) {
      if (layout(step).isReadFromOwnRows(band, rank)) {
        pass(state, rank, band, step, bandChunks(step, band));
      }
    }
    for (int part = 0; !feeds(step, rank) && part < parts; part++) {
      int route = layout(step).route(part, rank);
      publish(state, hosts().hostOf(rank), route, base(step, route) + chunks(step, route));
    }
  }

  private void feed(byte[] state, int rank, int part, Successors next) {
    int step = stepOf(state, rank);
    int band = band(step, rank, part);
    int chunk = state[fed + rank * parts + part];
    if (!feeds(step, rank)
        || chunk >= bandChunks(step, band)
        || use(step, band, chunk) >= filledUpTo(state, hosts().hostOf(rank), band)) {
      return;
    }
    byte[] after = state.clone();
    int route = layout(step).route(part, rank);
    write(after, hosts().hostOf(rank), step, route, chunk);
    after[fed + rank * parts + part]++;
    publish(after, hosts().hostOf(rank), route, base(step, route) + chunk + 1);
    next.add(
        () -> "rank %d feeds chunk %d of route %d".formatted(rank, chunk, route),
        settle(after, rank));
  }

  private boolean isReadable(byte[] state, int rank, int band) {
    int step = stepOf(state, rank);
    int chunk = state[taken + rank * bands + band];
    if (layout(step).isReadFromOwnRows(band, rank) || chunk >= bandChunks(step, band)) {
      return false;
    }
    for (int i = 0; i < layout(step).bandRoutes(); i++) {
      int route = layout(step).bandRoute(band, i);
      if (arrived(state, hosts().hostOf(rank), route) <= base(step, route) + chunk) {
        return false;
      }
    }
    return true;
  }

  private byte[] endRead(byte[] state, int rank) {
    byte[] after = state.clone();
    int step = stepOf(after, rank);
    int band = after[readingOf + rank];
    checkRead(after, rank, band);
    after[readingOf + rank] = -1;
    after[taken + rank * bands + band]++;
    pass(after, rank, band, step, after[taken + rank * bands + band]);
    return settle(after, rank);
  }

  // What the communication threads do.

  @Override
  void checkSent(byte[] state, int sender, int step, int route, int chunk) {
    if (layout(step).shard(route) != sender) {
      check(state, sender, step, route, chunk);
    }
  }

  @Override
  void receive(byte[] state, int receiver, int step, int route, int chunk) {
    write(state, hosts().hostOf(receiver), step, route, chunk);
    if (flaw != Flaw.PUBLISH_BEFORE_DATA) {
      publish(state, hosts().hostOf(receiver), route, base(step, route) + chunk + 1);
    }
  }

  @Override
  void noteReceiveStarted(byte[] state, int rank, int step, int route, int chunks) {
    if (flaw == Flaw.PUBLISH_BEFORE_DATA) {
      publish(state, hosts().hostOf(rank), route, base(step, route) + chunks);
    }
  }

  @Override
  long receivable(byte[] state, int rank, int step, int route) {
    int band = layout(step).band(route);
    long free = filledUpTo(state, hosts().hostOf(rank), band) - use[step][band];
    return Math.min(chunks(step, route), free * layout(step).slotChunks(band));
  }

  @Override
  long sendable(byte[] state, int rank, int step, int route) {
    long chunks = chunks(step, route);
    if (layout(step).shard(route) == rank) {
      return chunks;
    }
    int here = arrived(state, hosts().hostOf(rank), route);
    return Math.min(chunks, here - base(step, route));
  }

  @Override
  boolean passSent(byte[] state, int rank, int step, Transfers.Streams sends, int[] sent) {
    boolean moved = false;
    for (int band = 0; band < bands; band++) {
      long forwarded = bandChunks(step, band);
      for (int i = 0; i < sends.count(); i++) {
        int route = sends.route(i);
        if (layout(step).band(route) == band && layout(step).shard(route) != rank) {
          forwarded = Math.min(forwarded, finished(state, sent, i));
        }
      }
      moved |= pass(state, ranks + rank, band, step, forwarded);
    }
    return moved;
  }

  // Counters and slots.

  private int bandChunks(int step, int band) {
    return bandChunks[step][band];
  }

  private int band(int step, int rank, int part) {
    return layout(step).band(layout(step).route(part, rank));
  }

  /** Whether a rank has to bring its rows into slots: for its neighbours, or along columns. */
  private boolean feeds(int step, int rank) {
    return hosts().size(hosts().hostOf(rank)) > 1 || layout(step).plan().problem().isAlongColumns();
  }

  /** The use of a slot that a chunk is part of. */
  private int use(int step, int band, int chunk) {
    return use[step][band] + (int) layout(step).slot(band, chunk);
  }

  private int passedAt(int reader, int band) {
    return passed + (hosts().hostOf(reader % ranks) * bands + band) * 2 * ranks + reader;
  }

  /** A reader is done with the first chunks of a band. */
  private boolean pass(byte[] state, int reader, int band, int step, long chunks) {
    int at = passedAt(reader, band);
    int from = use[step][band];
    long to = from + layout(step).slotsDone(band, chunks);
    if (state[at] < from || state[at] >= to) {
      return false;
    }
    state[at] = (byte) to;
    return true;
  }

  private long filledUpTo(byte[] state, int host, int band) {
    if (flaw == Flaw.REUSE_BEFORE_CONSUMED) {
      return Byte.MAX_VALUE;
    }
    if (flaw == Flaw.NEVER_REUSE) {
      return slots;
    }
    return Slots.filledUpTo(slowest(state, host, band), slots);
  }

  private long slowest(byte[] state, int host, int band) {
    long slowest = Long.MAX_VALUE;
    for (int i = 0; i < hosts().size(host); i++) {
      int rank = hosts().member(host, i);
      slowest = Math.min(slowest, state[passedAt(rank, band)]);
      slowest = Math.min(slowest, state[passedAt(ranks + rank, band)]);
    }
    return slowest;
  }

  private int contentAt(int host, long use, int route, int place) {
    int slot = host * slots + Slots.slot(use, slots);
    return content + (slot * routes + route) * slotChunks + place;
  }

  private int place(int step, int band, int chunk) {
    return (int) (chunk % layout(step).slotChunks(band));
  }

  /** Fills a place in a slot; what the slot held before must have been read by all who need it. */
  private void write(byte[] state, int host, int step, int route, int chunk) {
    int band = layout(step).band(route);
    int use = use(step, band, chunk);
    for (int place = 0; place < slotChunks; place++) {
      int old = state[contentAt(host, use, route, place)] - 1;
      if (old >= 0 && old != use && slowest(state, host, band) <= old) {
        throw new Violation(
            "use %d of route %d in host %d overwrites use %d, which is not read yet"
                .formatted(use, route, host, old));
      }
    }
    state[contentAt(host, use, route, place(step, band, chunk))] = (byte) (use + 1);
  }

  private void checkRead(byte[] state, int rank, int band) {
    int step = stepOf(state, rank);
    int chunk = state[taken + rank * bands + band];
    for (int i = 0; i < layout(step).bandRoutes(); i++) {
      int route = layout(step).bandRoute(band, i);
      check(state, rank, step, route, chunk);
    }
  }

  /** What a rank reads must be what it wants to read. */
  private void check(byte[] state, int rank, int step, int route, int chunk) {
    int host = hosts().hostOf(rank);
    int band = layout(step).band(route);
    int use = use(step, band, chunk);
    int held = state[contentAt(host, use, route, place(step, band, chunk))] - 1;
    if (held != use) {
      throw new Violation(
          "rank %d reads use %d of route %d, but the slot holds %s"
              .formatted(rank, use, route, held < 0 ? "nothing" : "use " + held));
    }
  }
}
