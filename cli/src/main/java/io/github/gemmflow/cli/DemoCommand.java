// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import io.github.gemmflow.cli.job.CommandException;
import io.github.gemmflow.cli.job.ExitCode;
import io.github.gemmflow.cli.job.Subcommand;
import io.github.gemmflow.mpi.binding.Launcher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code gemmflow demo}: other commands in a row, each printed before it runs, so that a reader can
 * repeat and change them.
 */
@Command(
    name = "demo",
    header = "Shows overlap on two simulated hosts, and draws a report.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Takes less than a minute, and needs neither MPI nor a second machine. It multiplies two"
            + " matrices on four ranks and verifies the product. Then it times a layer on two simulated"
            + " hosts with a link of 1 Gbit/s, overlapped and sequential, and draws the report. Each"
            + " command is printed before it runs.%n",
    footer = {"%nExample:", "  gemmflow demo demo"})
final class DemoCommand extends Subcommand {
  @Parameters(
      arity = "0..1",
      paramLabel = "DIRECTORY",
      description = "output directory, created if missing (default: gemmflow-demo)")
  private Path directory = Path.of("gemmflow-demo");

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws IOException {
    if (Launcher.current() != Launcher.NONE) {
      throw new CommandException(
          ExitCode.INPUT, "demo runs its ranks as threads: start it without a launcher");
    }
    Files.createDirectories(directory);
    int exitCode =
        runAll(
            "Two matrices, multiplied on four ranks, and the product checked:",
            data(),
            product(),
            check());
    if (exitCode == ExitCode.GOOD.number()) {
      exitCode =
          runAll(
              "%nA layer on two simulated hosts, overlapped and sequential:".formatted(),
              layer(),
              report());
    }
    if (exitCode != ExitCode.GOOD.number()) {
      return exitCode;
    }
    Path page = directory.resolve("report.html").toAbsolutePath().normalize();
    output().say("%nOpen in a browser: %s%n".formatted(page.toUri()));
    return ExitCode.GOOD.number();
  }

  private String[] data() {
    return words("gen --gm 512 --gk 256 --gn 128 --dtype f32", file("data"));
  }

  private String[] product() {
    String b = file("data/b.npy");
    return words(
        "run --engine local -n 4 --a", file("data/a.npy"), "--b", b, "--out", file("c.npy"));
  }

  private String[] check() {
    return words("verify --c", file("c.npy"), "--golden", file("data/golden.npy"));
  }

  /** In F32 the product of these shapes takes about as long as the network does. */
  private String[] layer() {
    String shape = "--gm 1024 --gk 4096 --gn 512 --dtype f32 --iterations 15";
    String hosts = "bench --engine local -n 2 --hosts 2 --rate 1gbit ";
    return words(hosts + shape, "--json", file("bench.json"), "--trace", file("trace.json"));
  }

  private String[] report() {
    return words(
        "report", file("bench.json"), "--trace", file("trace.json"), "-o", file("report.html"));
  }

  private String file(String name) {
    return directory.resolve(name).toString();
  }

  /** The words of the first argument, then the other arguments as they are. */
  private static String[] words(String first, String... others) {
    List<String> words = new ArrayList<>(List.of(first.split(" ")));
    words.addAll(List.of(others));
    return words.toArray(String[]::new);
  }

  /** Runs commands up to the first that fails; returns the exit code of the last that ran. */
  private int runAll(String title, String[]... commands) {
    output().say("%s%n".formatted(title));
    int exitCode = ExitCode.GOOD.number();
    for (int i = 0; exitCode == ExitCode.GOOD.number() && i < commands.length; i++) {
      exitCode = run(commands[i]);
    }
    return exitCode;
  }

  private int run(String... words) {
    output().say("%n$ gemmflow %s%n".formatted(String.join(" ", words)));
    CommandLine caller = spec.root().commandLine();
    return Gemmflow.commandLine().setOut(caller.getOut()).setErr(caller.getErr()).execute(words);
  }
}
