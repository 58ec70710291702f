// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.data;

import io.github.gemmflow.measure.Progress;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Verdict on a product: whether it is what it should be. */
public final class Verification {
  private static final int BAND = 256;

  private final ShardedMatrix c;
  private final Expected expected;
  private final Bound bound;
  private final Errors[] errors;
  private final int[] fileOf;
  private long wrong;
  private double largest;
  private @Nullable Difference first;

  /**
   * The first element that is wrong.
   *
   * @param where which of which file
   */
  public record Difference(
      String where, long row, long column, double is, double shouldBe, double allowed) {
    @Override
    public String toString() {
      return allowed == 0
          ? "%s is %s, but should be %s".formatted(where, number(is), number(shouldBe))
          : String.format(
              Locale.ROOT,
              "%s is %s, but should be %s, give or take %.2g",
              where,
              number(is),
              number(shouldBe),
              allowed);
    }

    private static String number(double value) {
      return value == Math.rint(value) && Math.abs(value) < Values.EXACT
          ? Long.toString((long) value)
          : Float.toString((float) value);
    }
  }

  public Verification(ShardedMatrix c, Expected expected, Bound bound) {
    this.c = c;
    this.expected = expected;
    this.bound = bound;
    this.errors = Stream.generate(Errors::new).limit(c.count()).toArray(Errors[]::new);
    this.fileOf = IntStream.range(0, (int) c.columns()).map(c::fileOf).toArray();
  }

  /** Looks at every element. */
  public Verification run(Progress progress) {
    for (long row = 0; row < c.rows(); row += BAND) {
      progress.at("comparing", row, c.rows(), Progress.Unit.ROWS);
      double[][] wanted = expected.rows(row, (int) Math.min(BAND, c.rows() - row));
      for (int i = 0; i < wanted.length; i++) {
        compare(row + i, wanted[i]);
      }
    }
    return this;
  }

  private void compare(long row, double[] wanted) {
    float[] values = c.row(row);
    for (int column = 0; column < values.length; column++) {
      errors[fileOf[column]].add(values[column], wanted[column]);
      double off = Math.abs(values[column] - wanted[column]);
      double allowed = bound.allowed(row, column, wanted[column], c.type());
      // Not the other way round: NaN is never right.
      if (off <= allowed) {
        largest = Math.max(largest, off == 0 ? 0 : off / allowed);
        continue;
      }
      wrong++;
      if (first == null) {
        String where = c.name(row, column);
        first = new Difference(where, row, column, values[column], wanted[column], allowed);
      }
    }
  }

  /** How many elements are wrong. */
  public long wrong() {
    return wrong;
  }

  /** Null if none is wrong. */
  public @Nullable Difference first() {
    return first;
  }

  /** The errors of each file. */
  Errors[] errors() {
    return errors.clone();
  }

  /** The most that a right element is off, as a share of what it may be. */
  public double largestShare() {
    return largest;
  }
}
