// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import io.github.gemmflow.cli.job.CommandException;
import io.github.gemmflow.cli.job.ExitCode;
import io.github.gemmflow.cli.job.OutputFile;
import io.github.gemmflow.cli.job.Subcommand;
import io.github.gemmflow.cli.report.Report;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code gemmflow report}: what a benchmark wrote, as a page for a browser. */
@Command(
    name = "report",
    header = "Writes an HTML report of files from bench.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "The page is one file that needs no network. It shows the time of each view, the verdict,"
            + " and a timeline of every thread that can be zoomed.%n",
    footer = {
      "%nExample:",
      "  gemmflow bench -n 2 --gm 256 --gn 256 --json bench.json --trace trace.json",
      "  gemmflow report bench.json --trace trace.json -o report.html"
    })
final class ReportCommand extends Subcommand {
  @Parameters(
      arity = "0..*",
      paramLabel = "BENCH.JSON",
      description =
          "files of 'gemmflow bench --json'; several, or a directory, for throughput over ranks")
  private List<Path> figures = new ArrayList<>();

  @Option(names = "--trace", paramLabel = "FILE", description = "file of 'gemmflow bench --trace'")
  private @Nullable Path trace;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "file for the page (default: report.html)")
  private Path output = Path.of("report.html");

  @Option(
      names = "--text",
      description = "text output: how the threads of a trace or recording spent their time")
  private boolean text;

  @Option(
      names = "--recording",
      paramLabel = "FILE",
      description = "with --text: flight recording of your program, one for each process")
  private List<Path> recordings = new ArrayList<>();

  @Mixin private PictureOptions picture = new PictureOptions();

  @Override
  public Integer call() throws IOException {
    if (text) {
      output().say(Report.text(trace, recordings));
      return ExitCode.GOOD.number();
    }
    if (!recordings.isEmpty()) {
      throw new CommandException(ExitCode.INPUT, "--recording requires --text: add it");
    }
    OutputFile.check(output, picture.file());
    OutputFile.write(output, Report.write(figures, trace));
    picture.draw(output);
    Path png = picture.file();
    output().say((png == null ? output : output + ", " + png) + System.lineSeparator());
    return ExitCode.GOOD.number();
  }
}
