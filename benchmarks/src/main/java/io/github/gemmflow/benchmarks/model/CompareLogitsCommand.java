// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.model;

import io.github.gemmflow.cli.job.ExitCode;
import io.github.gemmflow.cli.job.Subcommand;
import io.github.gemmflow.files.SafeTensors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code compare-logits}: compares two runs of a model. */
@Command(
    name = "compare-logits",
    header = "Compares the logits of two runs of a model.",
    description =
        "Reads what two runs of 'gemmflow generate --logits-out' wrote, up to the first token of each"
            + " prompt that differs: what comes after it continues another text. Errors are in units of the root"
            + " mean square (RMS) of the expected row.%n",
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class CompareLogitsCommand extends Subcommand {
  @Parameters(index = "0", paramLabel = "EXPECTED", description = "file with the expected logits")
  private Path expectedFile = Path.of("");

  @Parameters(index = "1", paramLabel = "ACTUAL", description = "file to compare with it")
  private Path actualFile = Path.of("");

  @Option(
      names = "--bound",
      paramLabel = "X",
      description = "fails if an error is larger than this many RMS")
  private @Nullable Double bound;

  @Option(names = "--same-tokens", description = "fails if a token differs")
  private boolean sameTokens;

  @Override
  public Integer call() throws IOException {
    try (SafeTensors expected = SafeTensors.open(expectedFile);
        SafeTensors actual = SafeTensors.open(actualFile)) {
      LogitsComparison comparison = LogitsComparison.of(expected, actual);
      report(comparison);
      // In this form, an error that is not a number exceeds every bound.
      boolean isClose = bound == null || comparison.worst().error() <= bound;
      boolean isGood = isClose && !(sameTokens && !comparison.flips().isEmpty());
      return (isGood ? ExitCode.GOOD : ExitCode.NO).number();
    }
  }

  private void report(LogitsComparison comparison) {
    StringBuilder text = new StringBuilder();
    text.append(
        "%d of %d rows compared: %s%n"
            .formatted(comparison.comparedRows(), comparison.rows(), describe(comparison.worst())));
    text.append(
        "%d of %d prompts have the same tokens%n"
            .formatted(comparison.prompts() - comparison.flips().size(), comparison.prompts()));
    for (LogitsComparison.Flip flip : comparison.flips()) {
      text.append(
          String.format(
              Locale.ROOT,
              "%s, row %d: token %d instead of %d, which led by %.3g RMS%n",
              flip.prompt(),
              flip.row(),
              flip.actual(),
              flip.expected(),
              flip.lead()));
    }
    output().say(text.toString());
  }

  private static String describe(LogitsComparison.Worst worst) {
    return worst.error() == 0
        ? "no logit is off"
        : String.format(
            Locale.ROOT,
            "no logit is off by more than %.3g RMS, as logit %d of %s, row %d, is: %s instead of %s",
            worst.error(),
            worst.token(),
            worst.prompt(),
            worst.row(),
            worst.actual(),
            worst.expected());
  }
}
