// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import io.github.gemmflow.tuning.Domains;
import io.github.gemmflow.tuning.Overlap;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;

/**
 * Rules that choose what the tuning leaves open, with their reasons. The thresholds are reasoned,
 * not measured.
 */
final class Rules {
  /** More hosts than this, and each one sending to every other is too many at a time. */
  private static final int MOST_MESH_HOSTS = 8;

  private Rules() {}

  /** A choice and its reason, for a person. */
  record Choice<T>(T value, String reason) {}

  static Choice<Schedule> schedule(GatherProblem problem, Domains domains, Tuning tuning) {
    if (tuning.schedule() != null) {
      return new Choice<>(tuning.schedule(), "asked for");
    }
    int hosts = domains.count();
    if (hosts == 1) {
      return new Choice<>(Schedule.MESH, "nothing travels on one host");
    }
    if (hosts == 2) {
      return new Choice<>(Schedule.MESH, "between 2 hosts there is only one way");
    }
    if (hosts <= MOST_MESH_HOSTS) {
      return new Choice<>(
          Schedule.MESH,
          "up to %d hosts, rows take the shortest way, one hop".formatted(MOST_MESH_HOSTS));
    }
    long maxRows = problem.capacity().maxRows();
    long rows = problem.isAlongColumns() ? maxRows : Math.ceilDiv(maxRows, domains.ranks());
    if (rows <= chunkRows(problem, domains, tuning, rows)) {
      return new Choice<>(
          Schedule.MESH,
          "a rank's rows are one chunk even in the largest step, which every hop would delay");
    }
    return new Choice<>(
        Schedule.TWO_WAY_RING,
        "above %d hosts, each one sends to 2 others instead of %d"
            .formatted(MOST_MESH_HOSTS, hosts - 1));
  }

  static Choice<Storage> storage(GatherProblem problem, Domains domains, int bands, Tuning tuning) {
    Capacity room = problem.capacity();
    Choice<Storage> choice = wantedPath(problem, domains, bands, tuning);
    if (choice.value() == Storage.GATHERED && !room.gathered()) {
      throw new IllegalArgumentException(
          "the rows cannot be gathered in one piece (%s): the workspace was opened for streamed steps only"
              .formatted(choice.reason()));
    }
    if (choice.value() == Storage.STREAMED && room.slots() == 0) {
      throw new IllegalArgumentException(
          "the rows cannot be streamed: the workspace was opened without room for streamed steps; open it with a tuning whose storage is streamed");
    }
    if (choice.value() == Storage.STREAMED && problem.keepsGathered()) {
      throw new IllegalArgumentException(
          "streamed rows are never in one piece: leave out keepGathered(), or choose the storage gathered");
    }
    return choice;
  }

  private static Choice<Storage> wantedPath(
      GatherProblem problem, Domains domains, int bands, Tuning tuning) {
    if (tuning.storage() != null) {
      return new Choice<>(tuning.storage(), "asked for");
    }
    if (problem.keepsGathered()) {
      return new Choice<>(Storage.GATHERED, "the gathered A is asked for");
    }
    if (tuning.overlap() == Overlap.SEQUENTIAL) {
      return new Choice<>(Storage.GATHERED, "all rows are to be there before work begins");
    }
    Capacity room = problem.capacity();
    if (!room.gathered()) {
      return new Choice<>(Storage.STREAMED, "the workspace has no room for a whole step");
    }
    if (domains.count() == 1) {
      return new Choice<>(Storage.GATHERED, "on one host rows are read where they were written");
    }
    if (fitsWhole(room.maxRows(), problem.rowBytes(), tuning)) {
      return new Choice<>(
          Storage.GATHERED,
          "two steps of %d rows fit the cache budget of %d bytes as they are"
              .formatted(room.maxRows(), tuning.cacheBytes()));
    }
    if (room.slots() == 0) {
      long slotBytes = ChunkRule.slotBytes(tuning.chunking(), room.maxRows(), room.maxRowBytes());
      return new Choice<>(
          Storage.GATHERED,
          fitsStreamed(domains.ranks(), tuning.slots(), slotBytes, tuning)
              ? "the workspace was opened without slots"
              : explainSlots(tuning.slots(), slotBytes, bands, "exceed", tuning));
    }
    boolean fits = fitsStreamed(bands, room.slots(), room.slotBytes(), tuning);
    return new Choice<>(
        fits ? Storage.STREAMED : Storage.GATHERED,
        explainSlots(room.slots(), room.slotBytes(), bands, fits ? "fit" : "exceed", tuning));
  }

  private static String explainSlots(
      int slots, long slotBytes, int bands, String verb, Tuning tuning) {
    return "%d slots of %d bytes for each of %d routes %s the cache budget of %d bytes"
        .formatted(slots, slotBytes, bands, verb, tuning.cacheBytes());
  }

  static Choice<Overlap> overlap(Storage storage, Tuning tuning) {
    Overlap asked = tuning.overlap();
    if (asked == Overlap.SEQUENTIAL && storage == Storage.STREAMED) {
      throw new IllegalArgumentException(
          "rows that are streamed cannot all be there before work begins: choose the overlap pipelined, or the storage gathered");
    }
    return asked != null
        ? new Choice<>(asked, "asked for")
        : new Choice<>(
            Overlap.PIPELINED,
            storage == Storage.STREAMED
                ? "rows that are there are multiplied while others are on their way"
                : "rows that are there are multiplied while others are on their way, unless those come sooner than one more run would cost, as measured in the steps before");
  }

  /** The rows of a chunk of so many rows that are gathered. */
  static long chunkRows(GatherProblem problem, Domains domains, Tuning tuning, long rows) {
    // Along columns each rank sends only a part of every row.
    long senders = problem.isAlongColumns() ? domains.ranks() : 1;
    return ChunkRule.rows(tuning.chunking(), rows, problem.rowBytes() / senders);
  }

  /** Rows that stay in the cache anyway gain nothing from being streamed. */
  static boolean fitsWhole(long maxRows, long rowBytes, Tuning tuning) {
    return rowBytes == 0 || maxRows <= tuning.cacheBytes() / 2 / rowBytes;
  }

  /**
   * The rule of NKI's fine-grained kernel: what is in flight, twice if there are two slots, must
   * fit into the fast memory.
   */
  static boolean fitsStreamed(int bands, int slots, long slotBytes, Tuning tuning) {
    return slotBytes <= tuning.cacheBytes() / slots / bands;
  }
}
