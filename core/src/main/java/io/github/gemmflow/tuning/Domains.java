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
 * Sets of ranks of a group that share memory. Domains are numbered in the order of their lowest
 * ranks. Immutable.
 */
public final class Domains {
  /** A person does not read a list of more ranks. */
  public static final int MOST_TO_LIST = 16;

  private final int[] domainOf;
  private final int[][] members;

  private Domains(int[] domainOf, int[][] members) {
    this.domainOf = domainOf;
    this.members = members;
  }

  /**
   * Ranks with equal labels share memory.
   *
   * @param labelOfRank any number for each rank
   */
  public static Domains of(int... labelOfRank) {
    if (labelOfRank.length == 0) {
      throw new IllegalArgumentException("a group has at least one rank");
    }
    List<Integer> labels = new ArrayList<>();
    int[] domainOf = new int[labelOfRank.length];
    for (int rank = 0; rank < labelOfRank.length; rank++) {
      int domain = labels.indexOf(labelOfRank[rank]);
      if (domain < 0) {
        domain = labels.size();
        labels.add(labelOfRank[rank]);
      }
      domainOf[rank] = domain;
    }
    int[][] members = new int[labels.size()][];
    for (int domain = 0; domain < members.length; domain++) {
      int wanted = domain;
      members[domain] =
          IntStream.range(0, domainOf.length).filter(r -> domainOf[r] == wanted).toArray();
    }
    return new Domains(domainOf, members);
  }

  /** All ranks share memory. */
  public static Domains single(int ranks) {
    return of(new int[ranks]);
  }

  public int ranks() {
    return domainOf.length;
  }

  public int count() {
    return members.length;
  }

  /** The domain of a rank. */
  public int domainOf(int rank) {
    return domainOf[rank];
  }

  /** How many ranks a domain has. */
  public int size(int domain) {
    return members[domain].length;
  }

  /** A rank of a domain; they are in ascending order. */
  public int member(int domain, int index) {
    return members[domain][index];
  }

  /** Where a rank stands among the ranks of its domain. */
  public int indexOf(int rank) {
    return Arrays.binarySearch(members[domainOf[rank]], rank);
  }

  /** The domain map of a group of these ranks, which it numbers in the order given. */
  public Domains restrictedTo(int... ranks) {
    return of(Arrays.stream(ranks).map(this::domainOf).toArray());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Domains domains && Arrays.equals(domainOf, domains.domainOf);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(domainOf);
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
