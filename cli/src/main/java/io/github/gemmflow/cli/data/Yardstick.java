// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.data;

import io.github.gemmflow.kernel.WeightLayout;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Expected product with its error bound. */
final class Yardstick implements AutoCloseable {
  private final List<ShardedMatrix> open = new ArrayList<>();
  private final Bound bound;
  private final Expected expected;
  private final @Nullable PlainProduct plain;
  private final long rows;
  private final long columns;

  Yardstick(Check check) throws IOException {
    Tolerance given = check.tolerance();
    try {
      ShardedMatrix golden =
          check.golden() == null ? null : keep(ShardedMatrix.ofColumns(check.golden()));
      if (check.a() != null && check.b() != null) {
        ShardedMatrix a = keep(ShardedMatrix.ofRows(check.a()));
        boolean inOut = check.layout() == WeightLayout.IN_OUT;
        ShardedMatrix b =
            keep(inOut ? ShardedMatrix.ofColumns(check.b()) : ShardedMatrix.ofRows(check.b()));
        checkInner(a, b, inOut);
        float[][] rows = PlainProduct.read(b, check.layout());
        this.bound = given == null ? Bound.of(a, rows, check.rounds()) : Bound.of(given);
        this.plain = new PlainProduct(a, rows);
        this.rows = a.rows();
        this.columns = inOut ? b.columns() : b.rows();
        this.expected = golden == null ? plain : Expected.of(golden);
        if (golden != null) {
          checkShape(golden);
        }
      } else if (golden != null) {
        this.bound = given == null ? Bound.EXACT : Bound.of(given);
        this.plain = null;
        this.rows = golden.rows();
        this.columns = golden.columns();
        this.expected = Expected.of(golden);
      } else {
        throw new IllegalArgumentException("nothing to check against");
      }
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  private ShardedMatrix keep(ShardedMatrix sharded) {
    open.add(sharded);
    return sharded;
  }

  private static void checkInner(ShardedMatrix a, ShardedMatrix b, boolean inOut) {
    if (a.columns() != (inOut ? b.rows() : b.columns())) {
      throw new IllegalArgumentException(
          "%s and %s cannot be multiplied: B (%s) needs as many %s as A has columns; set --layout to the layout of B"
              .formatted(a, b, inOut ? "in x out" : "out x in", inOut ? "rows" : "columns"));
    }
  }

  Expected expected() {
    return expected;
  }

  Bound bound() {
    return bound;
  }

  /** Opens results: columns of one product, or the whole product of each rank. */
  List<ShardedMatrix> open(Where where) throws IOException {
    ShardedMatrix sharded = ShardedMatrix.ofColumns(where);
    boolean wholes = sharded.count() > 1 && sharded.columns() == sharded.count() * columns;
    if (!wholes) {
      return List.of(keep(sharded));
    }
    sharded.close();
    List<ShardedMatrix> each = new ArrayList<>();
    for (int rank = 0; rank < where.count(); rank++) {
      each.add(keep(ShardedMatrix.ofColumns(new Where(where.of(rank)))));
    }
    return each;
  }

  void checkShape(ShardedMatrix result) {
    if (result.rows() != rows || result.columns() != columns) {
      throw new IllegalArgumentException(
          "%s should be %d x %d: is it of another product, or are files of ranks missing, or left from a run with more ranks?"
              .formatted(result, rows, columns));
    }
  }

  /** Whether an input or the output is at fault, for a wrong element. */
  String blame(Verification.Difference wrong) {
    if (plain == null) {
      return "";
    }
    double again = plain.rows(wrong.row(), 1)[0][Math.toIntExact(wrong.column())];
    if (Math.abs(again - wrong.is()) <= wrong.allowed()) {
      return "C equals A x B: golden was computed from other inputs";
    }
    return Math.abs(again - wrong.shouldBe()) <= wrong.allowed()
        ? "golden equals A x B: C is wrong"
        : "A x B is %s: both C and golden are wrong".formatted((float) again);
  }

  @Override
  public void close() {
    open.forEach(ShardedMatrix::close);
  }
}
