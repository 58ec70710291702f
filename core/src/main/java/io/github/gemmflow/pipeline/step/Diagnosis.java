// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.step;

import io.github.gemmflow.tuning.Hosts;
import java.util.StringJoiner;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Words of a rank that gives up: what it missed, and which ranks to look at. */
public final class Diagnosis {
  /**
   * How long a rank that waits for one which itself waits for something else lets the other say
   * first what that is: it knows more.
   */
  public static final long GIVE_UP_DELAY_NANOS = 250_000_000;

  private final HostPeers peers;
  private final StepWindow window;
  private final Supplier<String> describeComm;

  /**
   * For a workspace.
   *
   * @param describeComm what this rank's communication thread waits for
   */
  public Diagnosis(HostPeers peers, StepWindow window, Supplier<String> describeComm) {
    this.peers = peers;
    this.window = window;
    this.describeComm = describeComm;
  }

  /** How long this rank waited. */
  public String patience() {
    return "%.1f s".formatted(peers.deadlineNanos() / 1e9);
  }

  /** What this rank's communication thread waits for. */
  public String ownTransfers() {
    return describeComm.get();
  }

  /** Who has not begun the step. */
  public String missingHeaders(StepContext step) {
    return missing(step, "");
  }

  /** What is missing in a step, who has not begun it, and whom to look at. */
  public String missing(StepContext step, String missing) {
    StringJoiner text = new StringJoiner("; ");
    if (!missing.isEmpty()) {
      text.add(missing);
    }
    for (int rank = 0; rank < peers.hosts().ranks(); rank++) {
      if (!window.headers().isThere(rank, step.number())) {
        text.add(name(rank) + " has not begun the step");
      }
    }
    return text + whereToLook();
  }

  /** What a reader of slots has not done. */
  public String describeReader(int reader) {
    if (reader < peers.hostRanks()) {
      return "rank %d has not read the rows before them".formatted(peers.hostRank(reader));
    }
    return "rank %d has not passed on the rows before them%s"
        .formatted(
            peers.hostRank(reader - peers.hostRanks()),
            reader == peers.commReader() ? ": " + ownTransfers() : "");
  }

  /** A rank, with the rank that brings word of it to this host, if that is another. */
  public String name(int rank) {
    Hosts hosts = peers.hosts();
    int host = peers.host();
    int messenger = StepHeaders.owner(hosts, host, rank);
    if (hosts.hostOf(rank) == host || messenger == peers.rank()) {
      return "rank " + rank;
    }
    return "rank %d (reported by rank %d)".formatted(rank, messenger);
  }

  /** Who is behind the others: those may only be waiting for it. */
  public String whereToLook() {
    Hosts hosts = peers.hosts();
    String begun =
        behind(
            hosts.ranks(),
            this::name,
            window.headers()::begun,
            ". Behind all others: %s; steps begun: %d");
    int hostRanks = peers.hostRanks();
    String finished =
        peers.hasOtherHosts()
            ? behind(
                hostRanks,
                i -> "rank " + peers.hostRank(i),
                i -> window.steps().passed(hostRanks + i),
                ". Behind in transfers to other hosts: %s; steps finished: %d")
            : "";
    return begun + finished + ". If a rank is only slow, raise gemmflow.deadline";
  }

  /** The ranks of this host with the lowest value. */
  public String hostRanksBehind(IntToLongFunction value) {
    int ranks = peers.hostRanks();
    long lowest = IntStream.range(0, ranks).mapToLong(value).min().orElse(0);
    return IntStream.range(0, ranks)
        .filter(i -> value.applyAsLong(i) == lowest)
        .mapToObj(i -> "rank " + peers.hostRank(i))
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
