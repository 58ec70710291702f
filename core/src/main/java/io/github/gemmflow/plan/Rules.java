// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import io.github.gemmflow.tuning.Chunking;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Overlap;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import io.github.gemmflow.tuning.cost.TriedStep;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Rules that choose what the tuning leaves open, by predicted time and with their reasons. None of
 * it changes a result.
 */
final class Rules {
  /** Up to so many hosts, each may send to every other; more are many connections. */
  private static final int MOST_MESH_HOSTS = 8;

  /** A prediction is no better than this: who takes less than so many times as long ties. */
  private static final double TIE = 1.05;

  private Rules() {}

  /** A choice and its reason, for a person. */
  record Choice<T>(T value, String reason) {}

  /** What was tried of a gather; null if nothing was. */
  static @Nullable TriedStep tried(GatherProblem problem, Hosts hosts, Tuning tuning) {
    if (problem.isAlongColumns()) {
      return null;
    }
    long rows = problem.capacity().maxRows();
    return tried("gather", problem.rowBytes(), rows, hosts, tuning);
  }

  /** What was tried of a step whose rows have so many bytes; null if nothing was. */
  static @Nullable TriedStep tried(
      String operation, long rowBytes, long rows, Hosts hosts, Tuning tuning) {
    String key = TriedStep.key(operation, rowBytes, rows, hosts.ranks(), hosts.count());
    return tuning.costs().tried().get(key);
  }

  static Choice<Chunking> chunking(Tuning tuning, @Nullable TriedStep tried) {
    Chunking asked = tuning.chunking();
    return tried != null && asked.equals(Chunking.BY_RULE)
        ? new Choice<>(new Chunking(0, tried.best().chunkBytes()), tried.reason())
        : ChunkRule.choose(asked, tuning.costs().link());
  }

  static Choice<Schedule> schedule(
      GatherProblem problem,
      Hosts hosts,
      Tuning tuning,
      Chunking chunking,
      @Nullable TriedStep tried) {
    if (tuning.schedule() != null) {
      return new Choice<>(tuning.schedule(), "asked for");
    }
    int count = hosts.count();
    if (count == 1) {
      return new Choice<>(Schedule.MESH, "one host sends no rows");
    }
    if (count == 2) {
      return new Choice<>(Schedule.MESH, "all schedules are the same between 2 hosts");
    }
    if (tried != null) {
      return new Choice<>(Schedule.named(tried.best().name()), tried.reason());
    }
    long maxRows = problem.capacity().maxRows();
    long rows = problem.isAlongColumns() ? maxRows : Math.ceilDiv(maxRows, hosts.ranks());
    double rowBytes = problem.rowBytes();
    double chunkBytes = chunkRows(problem, hosts, chunking, rows) * rowBytes;
    TravelTime time = new TravelTime(hosts, tuning.costs());
    double mesh = time.gatherNanos(Schedule.MESH, maxRows * rowBytes, chunkBytes);
    double ring = time.gatherNanos(Schedule.TWO_WAY_RING, maxRows * rowBytes, chunkBytes);
    boolean fewerPeers = count > MOST_MESH_HOSTS && ring < mesh * TIE;
    String why =
        "predicted %s for %d rows, %s %s"
            .formatted(
                millis(fewerPeers ? ring : mesh),
                maxRows,
                fewerPeers ? Schedule.MESH : Schedule.TWO_WAY_RING,
                millis(fewerPeers ? mesh : ring));
    return fewerPeers
        ? new Choice<>(
            Schedule.TWO_WAY_RING,
            why + "; each of %d hosts sends to 2 others instead of %d".formatted(count, count - 1))
        : new Choice<>(Schedule.MESH, why);
  }

  /** A time for a person. */
  static String millis(double nanos) {
    return String.format(Locale.ROOT, "%.3g ms", nanos / 1e6);
  }

  static Choice<Storage> storage(GatherProblem problem, Tuning tuning) {
    Capacity room = problem.capacity();
    Choice<Storage> choice = wantedPath(problem, tuning);
    if (choice.value() == Storage.GATHERED && !room.gathered()) {
      throw new IllegalArgumentException(
          "the rows cannot be stored gathered (%s): the workspace was opened for streamed steps only"
              .formatted(choice.reason()));
    }
    if (choice.value() == Storage.STREAMED && room.slots() == 0) {
      throw new IllegalArgumentException(
          "the rows cannot be streamed: the workspace was opened without room for streamed steps; open it with a tuning whose storage is streamed");
    }
    if (choice.value() == Storage.STREAMED && problem.keepsGathered()) {
      throw new IllegalArgumentException(
          "streamed rows are never contiguous: remove keepGathered(), or choose gathered storage");
    }
    return choice;
  }

  private static Choice<Storage> wantedPath(GatherProblem problem, Tuning tuning) {
    if (tuning.storage() != null) {
      return new Choice<>(tuning.storage(), "asked for");
    }
    return problem.capacity().gathered()
        ? new Choice<>(
            Storage.GATHERED,
            problem.keepsGathered()
                ? "keepGathered() needs it"
                : "streamed rows take longer, and less memory")
        : new Choice<>(Storage.STREAMED, "the workspace has no room for a whole step");
  }

  static Choice<Overlap> overlap(Storage storage, Tuning tuning) {
    Overlap asked = tuning.overlap();
    if (asked == Overlap.SEQUENTIAL && storage == Storage.STREAMED) {
      throw new IllegalArgumentException(
          "streamed rows cannot all arrive before work begins: choose overlap pipelined, or gathered storage");
    }
    return asked != null
        ? new Choice<>(asked, "asked for")
        : new Choice<>(
            Overlap.PIPELINED,
            storage == Storage.STREAMED
                ? "rows are multiplied as they arrive"
                : "rows are multiplied as they arrive, unless the rest arrives sooner than one more run would cost, as measured in earlier steps");
  }

  /** The bytes of a row that a rank sends: along columns only a part of every row. */
  static long sentRowBytes(GatherProblem problem, Hosts hosts) {
    return problem.rowBytes() / (problem.isAlongColumns() ? hosts.ranks() : 1);
  }

  /** The rows of a chunk of so many rows that are gathered. */
  static long chunkRows(GatherProblem problem, Hosts hosts, Chunking chunking, long rows) {
    return ChunkRule.rows(chunking, rows, sentRowBytes(problem, hosts));
  }
}
