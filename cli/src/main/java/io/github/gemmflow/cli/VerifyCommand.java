// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import io.github.gemmflow.cli.data.Check;
import io.github.gemmflow.cli.data.Tolerance;
import io.github.gemmflow.cli.data.Where;
import io.github.gemmflow.cli.job.CommandException;
import io.github.gemmflow.cli.job.ExitCode;
import io.github.gemmflow.cli.job.Subcommand;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code gemmflow verify}: whether a product is right. */
@Command(
    name = "verify",
    header = "Checks a product, element by element.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Compares C with a golden file, or with A x B, computed again in double precision. With --a and --b, integers"
          + " must be exact, and reals within the error that sums of K products in F32 may have; with --golden"
          + " alone, elements must be equal. --rtol and --atol allow another error. It prints the largest error and"
          + " the relative error: the norm of the errors divided by the norm of the expected C.",
      "Files that are listed in a SHA256SUMS file of their directory are also checked against it.%n"
    },
    footer = {
      "%nExample:",
      "  gemmflow gen data --gm 512 --gk 256 --gn 128",
      "  gemmflow run --a data/a.npy --b data/b.npy --out c.npy",
      "  gemmflow verify --c c.npy --golden data/golden.npy"
    })
final class VerifyCommand extends Subcommand {
  @Option(
      names = "--c",
      paramLabel = "FILE",
      required = true,
      description = "file to check; with {rank}, one for each rank")
  private String c = "";

  @Option(names = "--golden", paramLabel = "FILE", description = "file of the expected result")
  private @Nullable String golden;

  @Option(
      names = "--a",
      paramLabel = "FILE",
      description = "file of A; with {rank}, one for each rank")
  private @Nullable String a;

  @Option(
      names = "--b",
      paramLabel = "FILE",
      description = "file of B; with {rank}, one for each rank")
  private @Nullable String b;

  @Mixin private InputOptions input = new InputOptions();

  @Option(
      names = "--int8",
      description = "with --a and --b: bound for the rounding of 'run --int8'")
  private boolean rounds;

  @Option(
      names = "--rtol",
      paramLabel = "R",
      description =
          "relative tolerance: an error of at most R times the expected value, plus --atol (default: 0)")
  private @Nullable Double rtol;

  @Option(names = "--atol", paramLabel = "E", description = "absolute tolerance (default: 0)")
  private @Nullable Double atol;

  @Override
  public Integer call() throws IOException {
    Check check =
        new Check(
            new Where(c), where(golden), where(a), where(b), input.layout(), rounds, tolerance());
    Check.Verdict verdict = check.run(output().progress());
    if (!verdict.good()) {
      throw new CommandException(ExitCode.NO, verdict.text());
    }
    output().say(verdict.text() + System.lineSeparator());
    return ExitCode.GOOD.number();
  }

  private @Nullable Tolerance tolerance() {
    return rtol == null && atol == null
        ? null
        : new Tolerance(rtol == null ? 0 : rtol, atol == null ? 0 : atol);
  }

  private static @Nullable Where where(@Nullable String text) {
    return text == null ? null : new Where(text);
  }
}
