// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.generate;

import io.github.gemmflow.examples.command.Program;
import io.github.gemmflow.files.SafeTensors;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Program that says how far two runs of a model are apart. */
@Command(
    name = "compare",
    description =
        "Compares the logits that two runs of 'Generate --logits-out' wrote, up to the first token of each"
            + " prompt that differs: what comes after it continues another text. Errors are in units of the root"
            + " mean square (RMS) of the expected row.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class Compare implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(index = "0", paramLabel = "EXPECTED", description = "what is taken to be right")
  private Path expectedFile = Path.of("");

  @Parameters(index = "1", paramLabel = "ACTUAL", description = "what is compared with it")
  private Path actualFile = Path.of("");

  @Option(
      names = "--bound",
      paramLabel = "X",
      description = "fails if an error is larger than this many RMS")
  private @Nullable Double bound;

  @Option(names = "--same-tokens", description = "fails if a token differs")
  private boolean sameTokens;

  public static void main(String[] arguments) {
    Program.run(new Compare(), arguments);
  }

  @Override
  public Integer call() throws IOException {
    try (SafeTensors expected = SafeTensors.open(expectedFile);
        SafeTensors actual = SafeTensors.open(actualFile)) {
      Comparison comparison = Comparison.of(expected, actual);
      report(comparison);
      // In this form, an error that is not a number exceeds every bound.
      boolean isClose = bound == null || comparison.worst().error() <= bound;
      return isClose && !(sameTokens && !comparison.flips().isEmpty()) ? 0 : 1;
    }
  }

  private void report(Comparison comparison) {
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        "%d of %d rows compared: %s%n",
        comparison.comparedRows(), comparison.rows(), describe(comparison.worst()));
    out.printf(
        "%d of %d prompts have the same tokens%n",
        comparison.prompts() - comparison.flips().size(), comparison.prompts());
    for (Comparison.Flip flip : comparison.flips()) {
      out.printf(
          Locale.ROOT,
          "%s, row %d: token %d instead of %d, which led by %.3g RMS%n",
          flip.prompt(),
          flip.row(),
          flip.actual(),
          flip.expected(),
          flip.lead());
    }
    out.flush();
  }

  private static String describe(Comparison.Worst worst) {
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
