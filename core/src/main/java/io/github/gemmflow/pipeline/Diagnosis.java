// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.plan.Domains;
import io.github.gemmflow.plan.StepPlan;
import java.util.StringJoiner;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What a rank that gives up can say about what it missed, and about whom to look at, for a person.
 */
final class Diagnosis {
  /**
   * How long a rank that waits for one which itself waits for something else lets the other say
   * first what that is: it knows more.
   */
  static final long AFTER_YOU_NANOS = 250_000_000;

  /** A list of missing rows that is longer than this is cut short. */
  private static final int LONG_TEXT = 600;

  private final Members members;
  private final Space space;
  private final Arrivals arrivals;
  private final Supplier<String> describeComm;

  /**
   * For a workspace.
   *
   * @param describeComm what this rank's comm lane waits for
   */
  Diagnosis(Members members, Space space, Arrivals arrivals, Supplier<String> describeComm) {
    this.members = members;
    this.space = space;
    this.arrivals = arrivals;
    this.describeComm = describeComm;
  }

  /** How long this rank waited. */
  String patience() {
    return "%.1f s".formatted(members.deadlineNanos() / 1e9);
  }

  /** What this rank's comm lane waits for. */
  String ownTransfers() {
    return describeComm.get();
  }

  /** Who has not begun the step. */
  String missingHeaders(OpenStep step) {
    return missingSums(step, "");
  }

  /**
   * Which rows are missing: those that nothing on this host holds up, if there are any, because
   * then the others only wait for them to be read.
   */
  String missingRows(OpenStep step, Feeder feeder) {
    String text = missingRows(step, true);
    if (text.isEmpty()) {
      StringJoiner own = new StringJoiner("; ");
      feeder.describe(step, this, own);
      String others = missingRows(step, false);
      text = own + (own.length() == 0 || others.isEmpty() ? "" : "; ") + others;
    }
    return text + whereToLook();
  }

  private String missingRows(OpenStep step, boolean withRoom) {
    StringJoiner text = new StringJoiner("; ");
    StepPlan plan = step.plan();
    int more = 0;
    for (int route = 0; route < plan.routes(); route++) {
      boolean begun = space.headers().isThere(plan.shard(route), step.number());
      long chunks = arrivals.chunks(step, route);
      if (plan.chunks(route) == 0 || (begun && chunks == plan.chunks(route))) {
        continue;
      }
      boolean isOwn = plan.shard(route) == members.rank();
      if (arrivals.hasRoom(step, route, chunks) != withRoom || (isOwn && !withRoom)) {
        continue;
      }
      if (text.length() > LONG_TEXT) {
        more++;
      } else {
        text.add(missingRows(step, route, begun));
      }
    }
    return text + (more == 0 ? "" : "; and those of %d more".formatted(more));
  }

  private String missingRows(OpenStep step, int route, boolean begun) {
    StepPlan plan = step.plan();
    int shard = plan.shard(route);
    long chunks = Math.max(0, arrivals.chunks(step, route));
    boolean allThere = chunks == plan.chunks(route);
    return "rows %d-%d of rank %d %s (%s; %s has %s the step%s)"
        .formatted(
            plan.chunkBegin(route, allThere ? 0 : chunks),
            plan.end(route) - 1,
            shard,
            allThere ? "are not confirmed" : "did not arrive",
            plan.way(members.domain(), route),
            name(shard),
            begun ? "begun" : "not begun",
            allThere || arrivals.hasRoom(step, route, chunks)
                ? ""
                : "; there is no room, because " + slowReader(plan.band(route)));
  }

  /** What is missing in a step that sums, and whom to look at. */
  String missingSums(OpenStep step, String missing) {
    StringJoiner text = new StringJoiner("; ");
    if (!missing.isEmpty()) {
      text.add(missing);
    }
    for (int rank = 0; rank < members.domains().ranks(); rank++) {
      if (!space.headers().isThere(rank, step.number())) {
        text.add(name(rank) + " has not begun the step");
      }
    }
    return text + whereToLook();
  }

  /** Who keeps a band's slots from being filled again. */
  String slowReader(int band) {
    return describeReader(space.slots(band).slowReader());
  }

  /** What a reader of slots has not done. */
  String describeReader(int reader) {
    if (reader < members.hostRanks()) {
      return "rank %d has not read the rows before them".formatted(members.hostRank(reader));
    }
    return "rank %d has not passed on the rows before them%s"
        .formatted(
            members.hostRank(reader - members.hostRanks()),
            reader == members.commReader() ? ": " + ownTransfers() : "");
  }

  /** Whether this rank can say who keeps the rows out that it misses. */
  boolean knowsWhoHoldsRoom(OpenStep step) {
    if (!arrivals.areHeldUp(step)) {
      return false;
    }
    StepPlan plan = step.plan();
    for (int route = 0; route < plan.routes(); route++) {
      if (arrivals.chunks(step, route) < plan.chunks(route)) {
        int reader = space.slots(plan.band(route)).slowReader();
        if (!members.isNeighboursCommLane(reader)) {
          return true;
        }
      }
    }
    return false;
  }

  /** A rank, with the rank that brings word of it to this host, if that is another. */
  private String name(int rank) {
    Domains domains = members.domains();
    int domain = members.domain();
    int messenger = Headers.owner(domains, domain, rank);
    if (domains.of(rank) == domain || messenger == members.rank()) {
      return "rank " + rank;
    }
    return "rank %d (word of it comes through rank %d)".formatted(rank, messenger);
  }

  /** Who is behind the others: those may only be waiting for it. */
  private String whereToLook() {
    Domains domains = members.domains();
    String begun =
        behind(
            domains.ranks(),
            this::name,
            space.headers()::begun,
            ". Behind all others: %s; steps begun: %d");
    int hostRanks = members.hostRanks();
    String finished =
        members.hasOtherHosts()
            ? behind(
                hostRanks,
                i -> "rank " + members.hostRank(i),
                i -> space.steps().passed(hostRanks + i),
                ". Behind in transfers to other hosts: %s; steps finished: %d")
            : "";
    return begun + finished + ". If a rank is only slow, raise gemmflow.deadline";
  }

  /** The ranks of this host with the lowest value. */
  String hostRanksBehind(IntToLongFunction value) {
    int ranks = members.hostRanks();
    long lowest = IntStream.range(0, ranks).mapToLong(value).min().orElse(0);
    return IntStream.range(0, ranks)
        .filter(i -> value.applyAsLong(i) == lowest)
        .mapToObj(i -> "rank " + members.hostRank(i))
        .collect(Collectors.joining(", "));
  }

  /** Those with the lowest value, unless all have the same. */
  private static String behind(
      int count, IntFunction<String> name, IntToLongFunction value, String format) {
    long[] values = IntStream.range(0, count).mapToLong(value).toArray();
    long lowest = IntStream.range(0, count).mapToLong(i -> values[i]).min().orElse(0);
    StringJoiner names = new StringJoiner(", ");
    int behind = 0;
    for (int i = 0; i < count; i++) {
      if (values[i] == lowest) {
        names.add(name.apply(i));
        behind++;
      }
    }
    return behind == count ? "" : format.formatted(names, lowest);
  }
}
