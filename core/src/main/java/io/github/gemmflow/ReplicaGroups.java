// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Division of the ranks of a world into groups that run side by side. Every rank is in exactly one;
 * for a rank in several groups, split the world several times. Immutable.
 */
public final class ReplicaGroups {
  private enum Kind {
    CONTIGUOUS,
    STRIDED,
    EXPLICIT
  }

  private final Kind kind;
  private final int size;
  private final List<int[]> explicit;

  private ReplicaGroups(Kind kind, int size, List<int[]> explicit) {
    this.kind = kind;
    this.size = size;
    this.explicit = explicit;
  }

  /** Groups of neighbours: 0..size-1, size..2*size-1, and so on. */
  public static ReplicaGroups ofSize(int size) {
    return new ReplicaGroups(Kind.CONTIGUOUS, size, List.of());
  }

  /** Groups of ranks that are equally far apart: with 8 ranks and size 4, 0 2 4 6 and 1 3 5 7. */
  public static ReplicaGroups stridedOfSize(int size) {
    return new ReplicaGroups(Kind.STRIDED, size, List.of());
  }

  /** Groups of any ranks, each in ascending order. */
  public static ReplicaGroups of(int[]... groups) {
    return new ReplicaGroups(Kind.EXPLICIT, 0, Arrays.stream(groups).map(int[]::clone).toList());
  }

  /** The groups of a world of so many ranks. */
  List<int[]> resolve(int ranks) {
    if (kind == Kind.EXPLICIT) {
      checkCover(ranks);
      return explicit;
    }
    if (size < 1 || ranks % size != 0) {
      throw new IllegalArgumentException(
          "%d ranks cannot be divided into groups of %d".formatted(ranks, size));
    }
    int count = ranks / size;
    List<int[]> groups = new ArrayList<>();
    for (int g = 0; g < count; g++) {
      int group = g;
      groups.add(
          IntStream.range(0, size)
              .map(i -> kind == Kind.CONTIGUOUS ? group * size + i : i * count + group)
              .toArray());
    }
    return groups;
  }

  /** Which of the groups a rank is in. */
  static int indexOf(int rank, List<int[]> groups) {
    int index = 0;
    while (Arrays.binarySearch(groups.get(index), rank) < 0) {
      index++;
    }
    return index;
  }

  private void checkCover(int ranks) {
    int[] all = explicit.stream().flatMapToInt(Arrays::stream).sorted().toArray();
    boolean ascending =
        explicit.stream()
            .allMatch(g -> IntStream.range(1, g.length).allMatch(i -> g[i - 1] < g[i]));
    if (!ascending || !Arrays.equals(all, IntStream.range(0, ranks).toArray())) {
      throw new IllegalArgumentException(
          "groups must hold each of the %d ranks once, in ascending order, not %s"
              .formatted(ranks, this));
    }
  }

  @Override
  public String toString() {
    return switch (kind) {
      case CONTIGUOUS -> "groups of " + size + " neighbors";
      case STRIDED -> "strided groups of " + size;
      case EXPLICIT -> Arrays.deepToString(explicit.toArray());
    };
  }
}
