// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.data;

import io.github.gemmflow.files.MatrixFile;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.measure.Progress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Check of a product in files.
 *
 * @param c one file, or a file of each rank: its columns, or, where each has as many as there are,
 *     all of them
 * @param golden what it should be; null for A x B, computed anew
 * @param a null if only golden counts
 * @param b null if only golden counts
 * @param rounds whether rows of A and columns of B were rounded to int8
 * @param tolerance null for what follows from A and B, or, if only golden counts, for none
 */
public record Check(
    Where c,
    @Nullable Where golden,
    @Nullable Where a,
    @Nullable Where b,
    WeightLayout layout,
    boolean rounds,
    @Nullable Tolerance tolerance) {

  /**
   * What came of it.
   *
   * @param text one or a few lines for a person
   */
  public record Verdict(boolean good, String text) {}

  public Check {
    if ((a == null) != (b == null)) {
      throw new IllegalArgumentException("A and B are both needed, or neither: --a and --b");
    }
    if (rounds && (a == null || tolerance != null)) {
      throw new IllegalArgumentException(
          "--int8 requires --a and --b, from which its tolerance follows, and no other tolerance");
    }
    if (golden == null && a == null) {
      throw new IllegalArgumentException(
          "%s is checked against a golden file (--golden), or against A x B (--a and --b)"
              .formatted(c));
    }
  }

  /** Checks every element. */
  public Verdict run(Progress progress) throws IOException {
    for (Where where : new @Nullable Where[] {golden, a, b}) {
      String changed = where == null ? "" : changed(where);
      if (!changed.isEmpty()) {
        return new Verdict(
            false,
            "%s has changed: its checksum does not match SHA256SUMS in the same directory"
                .formatted(changed));
      }
    }
    try (Yardstick yardstick = new Yardstick(this)) {
      return compare(yardstick, progress);
    }
  }

  private static String changed(Where where) throws IOException {
    int count = Math.max(1, where.count());
    for (int rank = 0; rank < count; rank++) {
      Path file = MatrixFile.path(where.of(rank));
      if (!Checksums.isUnchanged(file)) {
        return file.toString();
      }
    }
    return "";
  }

  private Verdict compare(Yardstick yardstick, Progress progress) throws IOException {
    List<ShardedMatrix> results = yardstick.open(c);
    double share = 0;
    List<String> errors = new ArrayList<>();
    for (ShardedMatrix result : results) {
      yardstick.checkShape(result);
      Verification verification =
          new Verification(result, yardstick.expected(), yardstick.bound()).run(progress);
      if (verification.first() != null) {
        return new Verdict(false, describe(result, verification, yardstick));
      }
      errors.addAll(errors(result, verification));
      share = Math.max(share, verification.largestShare());
    }
    errors.addFirst(describe(results, share, yardstick));
    return new Verdict(true, String.join("\n", errors));
  }

  /** A line for each file. */
  private static List<String> errors(ShardedMatrix result, Verification verification) {
    Errors[] errors = verification.errors();
    return IntStream.range(0, errors.length)
        .mapToObj(file -> result.file(file) + ": " + errors[file])
        .toList();
  }

  private String describe(List<ShardedMatrix> results, double share, Yardstick yardstick) {
    String what = "%s: %s, ".formatted(c, results.getFirst().shape());
    String than = golden == null ? "A x B" : golden.toString();
    return yardstick.bound().isExact()
        ? what + "every element equal to " + than
        : what
            + String.format(
                Locale.ROOT,
                "every element within %s of %s; the largest error is %.2g of it",
                yardstick.bound(),
                than,
                share);
  }

  private String describe(ShardedMatrix result, Verification verification, Yardstick yardstick) {
    Verification.Difference first = Objects.requireNonNull(verification.first());
    List<String> lines = new ArrayList<>();
    lines.add("%s (row %d, column %d of C)".formatted(first, first.row(), first.column()));
    lines.add(
        "%d of %d elements are wrong; this is the first"
            .formatted(verification.wrong(), result.rows() * result.columns()));
    lines.addAll(errors(result, verification));
    if (golden != null && a != null) {
      lines.add(yardstick.blame(first));
    } else if (golden != null && tolerance == null) {
      lines.add(
          "for reals, add --a and --b to allow for rounding errors, or a tolerance, for example --rtol 1e-5");
    }
    return String.join("\n", lines);
  }
}
