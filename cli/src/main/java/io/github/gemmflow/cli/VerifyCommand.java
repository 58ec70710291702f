// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import io.github.gemmflow.cli.data.Check;
import io.github.gemmflow.cli.data.Where;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code gemmflow verify}: whether a product is right. */
@Command(
    name = "verify",
    header = "Checks a product, element by element.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Against a golden file, or against A x B, computed anew in double precision. With --a and --b, integers"
          + " must be exact, and reals within the error that sums of K products in F32 may have; with --golden"
          + " alone, elements must be equal.",
      "Files that SHA256SUMS beside them lists are checked against that, too.%n"
    },
    footer = {
      "%nExample:",
      "  gemmflow gen data --gm 512 --gk 256 --gn 128",
      "  gemmflow run --a data/a.npy --b data/b.npy --out c.npy",
      "  gemmflow verify --c c.npy --golden data/golden.npy"
    })
final class VerifyCommand implements Callable<Integer> {
  @ParentCommand private Gemmflow parent = new Gemmflow();

  @Option(
      names = "--c",
      paramLabel = "FILE",
      required = true,
      description = "what is checked; with {rank}, a file of each rank")
  private String c = "";

  @Option(names = "--golden", paramLabel = "FILE", description = "what it should be")
  private @Nullable String golden;

  @Option(names = "--a", paramLabel = "FILE", description = "A; with {rank}, of each rank")
  private @Nullable String a;

  @Option(names = "--b", paramLabel = "FILE", description = "B; with {rank}, of each rank")
  private @Nullable String b;

  @Mixin private InputOptions input = new InputOptions();

  @Override
  public Integer call() throws IOException {
    Check check = new Check(new Where(c), where(golden), where(a), where(b), input.layout());
    Check.Verdict verdict = check.run(parent.output().progress());
    if (!verdict.good()) {
      throw new CommandException(ExitCode.NO, verdict.text());
    }
    parent.output().say(verdict.text() + System.lineSeparator());
    return ExitCode.GOOD.number();
  }

  private static @Nullable Where where(@Nullable String text) {
    return text == null ? null : new Where(text);
  }
}
