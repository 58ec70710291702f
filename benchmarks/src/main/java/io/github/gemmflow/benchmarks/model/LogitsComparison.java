// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.model;

import io.github.gemmflow.files.SafeTensors;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.models.batch.Sampler;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Distance of the logits of one run from those of another, in units of the root mean square of each
 * expected row. A prompt is compared up to the first token that differs, which saw the same text as
 * the other yet; later ones did not.
 */
final class LogitsComparison {
  private final List<Flip> flips = new ArrayList<>();
  private int prompts;
  private long rows;
  private long comparedRows;
  private @Nullable Worst worst;

  /** The logit that is farthest off. */
  record Worst(String prompt, long row, int token, float expected, float actual, double error) {}

  /**
   * The first token of a prompt that differs.
   *
   * @param lead of the expected token over the other, among the expected logits
   */
  record Flip(String prompt, long row, int expected, int actual, double lead) {}

  private LogitsComparison() {}

  /**
   * Compares what two files hold.
   *
   * @throws IllegalArgumentException if they are not of the same prompts and a model of as many
   *     tokens, or there is nothing in them
   */
  static LogitsComparison of(SafeTensors expected, SafeTensors actual) {
    if (!expected.names().equals(actual.names())) {
      throw new IllegalArgumentException(
          "%s and %s are not about the same prompts: generate both from the same"
              .formatted(expected, actual));
    }
    LogitsComparison comparison = new LogitsComparison();
    for (String name : expected.names()) {
      comparison.add(name, expected.tensor(name).matrix(), actual.tensor(name).matrix());
    }
    if (comparison.worst == null) {
      throw new IllegalArgumentException("there are no logits in %s".formatted(expected));
    }
    return comparison;
  }

  private void add(String prompt, Matrix expected, Matrix actual) {
    if (expected.columns() != actual.columns()) {
      throw new IllegalArgumentException(
          "%s is %s here and %s there: generate both with the same model"
              .formatted(prompt, expected, actual));
    }
    prompts++;
    rows += expected.rows();
    for (long row = 0; row < Math.min(expected.rows(), actual.rows()); row++) {
      if (!addRow(prompt, row, floats(expected, row), floats(actual, row))) {
        return;
      }
    }
    if (expected.rows() != actual.rows()) {
      throw new IllegalArgumentException(
          "%s was continued with %d tokens here and %d there: generate both with the same --tokens and --stop"
              .formatted(prompt, expected.rows(), actual.rows()));
    }
  }

  private static float[] floats(Matrix matrix, long row) {
    return matrix.rows(row, row + 1).toFloats();
  }

  /** Returns whether both choose the same token. */
  private boolean addRow(String prompt, long row, float[] expected, float[] actual) {
    comparedRows++;
    double unit = rootMeanSquare(expected);
    for (int i = 0; i < expected.length; i++) {
      // Nothing is off by nothing, even where the unit is 0.
      double error =
          expected[i] == actual[i] ? 0 : Math.abs((double) actual[i] - expected[i]) / unit;
      if (worst == null || Double.compare(error, worst.error()) > 0) {
        worst = new Worst(prompt, row, i, expected[i], actual[i], error);
      }
    }
    int right = Sampler.argmax(expected);
    int chosen = Sampler.argmax(actual);
    if (right != chosen) {
      double lead = ((double) expected[right] - expected[chosen]) / unit;
      flips.add(new Flip(prompt, row, right, chosen, lead));
    }
    return right == chosen;
  }

  private static double rootMeanSquare(float[] values) {
    double squares = 0;
    for (float value : values) {
      squares += (double) value * value;
    }
    return Math.sqrt(squares / values.length);
  }

  int prompts() {
    return prompts;
  }

  /** All rows that were expected. */
  long rows() {
    return rows;
  }

  /** Those up to the first token of each prompt that differs. */
  long comparedRows() {
    return comparedRows;
  }

  Worst worst() {
    return Objects.requireNonNull(worst);
  }

  /** One for each prompt whose tokens are not all the same. */
  List<Flip> flips() {
    return flips;
  }
}
