// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kit;

import java.util.SplittableRandom;

/** Seeded random cases: how many, from which seed, and how to repeat one. */
public final class Cases {
  /** A case; throws if it fails. */
  @FunctionalInterface
  public interface Case {
    void run(long seed) throws Throwable;
  }

  private Cases() {}

  /** Whether tests run at full length ({@code -Psoak}), as in {@code bin/soak}. */
  public static boolean isSoak() {
    return Boolean.getBoolean("gemmflow.soak");
  }

  /** The number for a short run, or the one for a long run. */
  public static int shortOrSoak(int inShort, int inSoak) {
    return isSoak() ? inSoak : inShort;
  }

  /**
   * Runs {@code gemmflow.cases} cases, or {@code otherwise}, from {@code gemmflow.seed}, or a
   * random seed. What fails throws with the line that repeats it.
   *
   * @param test the test class, for that line
   * @return how many that is
   */
  public static int run(Class<?> test, int otherwise, Case body) {
    int count = Integer.getInteger("gemmflow.cases", otherwise);
    long first = Long.getLong("gemmflow.seed", new SplittableRandom().nextLong(1L << 40));
    System.out.printf("%s: %d cases, -Dgemmflow.seed=%d%n", test.getSimpleName(), count, first);
    for (int i = 0; i < count; i++) {
      long seed = first + i;
      try {
        body.run(seed);
      } catch (Throwable e) {
        throw new AssertionError(
            "case %d failed: %s; repeat it with: mvn -B -Psoak verify -Dtest=%s -Dgemmflow.cases=1 -Dgemmflow.seed=%d"
                .formatted(i, e.getMessage(), test.getSimpleName(), seed),
            e);
      }
    }
    return count;
  }
}
