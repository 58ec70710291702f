// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Sets of ranks of a group that share memory. Hosts are numbered in the order of their lowest
 * ranks. Immutable.
 */
public final class Hosts {
  /** A person does not read a list of more ranks. */
  public static final int MOST_TO_LIST = 16;

  private final int[] hostOf;
  private final int[][] members;

  private Hosts(int[] hostOf, int[][] members) {
    this.hostOf = hostOf;
    this.members = members;
  }

  /**
   * Ranks with equal labels share memory.
   *
   * @param labelOfRank any number for each rank
   */
  public static Hosts of(int... labelOfRank) {
    if (labelOfRank.length == 0) {
      throw new IllegalArgumentException("a group has at least one rank");
    }
    List<Integer> labels = new ArrayList<>();
    int[] hostOf = new int[labelOfRank.length];
    for (int rank = 0; rank < labelOfRank.length; rank++) {
      int host = labels.indexOf(labelOfRank[rank]);
      if (host < 0) {
        host = labels.size();
        labels.add(labelOfRank[rank]);
      }
      hostOf[rank] = host;
    }
    int[][] members = new int[labels.size()][];
    for (int host = 0; host < members.length; host++) {
      int wanted = host;
      members[host] = IntStream.range(0, hostOf.length).filter(r -> hostOf[r] == wanted).toArray();
    }
    return new Hosts(hostOf, members);
  }

  /** All ranks share memory. */
  public static Hosts single(int ranks) {
    return of(new int[ranks]);
  }

  public int ranks() {
    return hostOf.length;
  }

  public int count() {
    return members.length;
  }

  /** The host of a rank. */
  public int hostOf(int rank) {
    return hostOf[rank];
  }

  /** How many ranks a host has. */
  public int size(int host) {
    return members[host].length;
  }

  /** A rank of a host; they are in ascending order. */
  public int member(int host, int index) {
    return members[host][index];
  }

  /** Where a rank stands among the ranks of its host. */
  public int indexOf(int rank) {
    return Arrays.binarySearch(members[hostOf[rank]], rank);
  }

  /** The host map of a group of these ranks, which it numbers in the order given. */
  public Hosts restrictedTo(int... ranks) {
    return of(Arrays.stream(ranks).map(this::hostOf).toArray());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Hosts hosts && Arrays.equals(hostOf, hosts.hostOf);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(hostOf);
  }

  /**
   * The hosts and their ranks, for a person: each rank by its number, or how many hosts have how
   * many ranks if there are more than {@link #MOST_TO_LIST}.
   */
  @Override
  public String toString() {
    return ranks() > MOST_TO_LIST
        ? "%d ranks, %s".formatted(ranks(), describeSizes())
        : "%s on %s %s"
            .formatted(
                plural(ranks(), "rank"), plural(count(), "host"), Arrays.deepToString(members));
  }

  private String describeSizes() {
    Map<Integer, Integer> hostsOfSize = new LinkedHashMap<>();
    for (int[] ranks : members) {
      hostsOfSize.merge(ranks.length, 1, Integer::sum);
    }
    return hostsOfSize.entrySet().stream()
        .map(e -> plural(e.getValue(), "host") + " x " + plural(e.getKey(), "rank"))
        .collect(Collectors.joining(", "));
  }

  private static String plural(int count, String noun) {
    return count + " " + noun + (count == 1 ? "" : "s");
  }
}
