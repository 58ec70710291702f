// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import io.github.gemmflow.Version;
import io.github.gemmflow.cli.job.CommandOutput;
import io.github.gemmflow.cli.job.ExitCode;
import io.github.gemmflow.cli.job.MainCommand;
import io.github.gemmflow.cli.job.Subcommand;
import io.github.gemmflow.mpi.binding.Launcher;
import java.util.List;
import java.util.ServiceLoader;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.Spec;

/** The {@code gemmflow} command. */
@Command(
    name = "gemmflow",
    description = "Matrix products over several processes: rows travel while they are multiplied.",
    mixinStandardHelpOptions = true,
    subcommands = {
      GenCommand.class,
      RunCommand.class,
      VerifyCommand.class,
      BenchCommand.class,
      CalibrateCommand.class,
      TuneCommand.class,
      ReportCommand.class,
      PlanCommand.class,
      PredictCommand.class,
      DoctorCommand.class,
    },
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all is well",
      "1:the answer is no: results differ, or there is a problem",
      "2:invalid arguments or input file",
      "3:ranks could not be started, or could not go on together",
      "4:an error inside gemmflow"
    },
    footer = {
      "%nA first product, on two ranks that are threads:",
      "  gemmflow gen data --gm 512 --gk 256 --gn 128",
      "  gemmflow run --engine local --a data/a.npy --b data/b.npy --out c.npy",
      "  gemmflow verify --c c.npy --golden data/golden.npy"
    })
public final class Gemmflow implements MainCommand {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private CommandOutput output = new CommandOutput();

  Gemmflow() {}

  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  /** The command, with the subcommands of all modules that are there. */
  public static CommandLine commandLine() {
    Gemmflow gemmflow = new Gemmflow();
    CommandLine line = new CommandLine(gemmflow);
    line.getCommandSpec().version(Version.TEXT);
    ServiceLoader.load(Subcommand.class).forEach(line::addSubcommand);
    // For those who package the command.
    CommandLine completion = new CommandLine(new AutoComplete.GenerateCompletion());
    completion.getCommandSpec().usageMessage().hidden(true);
    line.addSubcommand(completion);
    for (CommandLine sub : line.getSubcommands().values()) {
      sub.getCommandSpec().version(Version.TEXT).usageMessage().synopsisHeading("%nUsage: ");
    }
    return line.setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionStrategy(gemmflow::execute)
        .setParameterExceptionHandler(Gemmflow::explain)
        .setExecutionExceptionHandler((e, command, parsed) -> gemmflow.output.fail(e));
  }

  private int execute(ParseResult parsed) {
    Integer helped = CommandLine.executeHelpRequest(parsed);
    if (helped != null) {
      return helped;
    }
    output.begin(spec.commandLine());
    try {
      return new RunLast().execute(parsed);
    } catch (Error e) {
      return output.fail(e);
    }
  }

  /** Says what is wrong with the command line, and where to read on; the whole help is long. */
  private static int explain(ParameterException e, String[] arguments) {
    CommandLine line = e.getCommandLine();
    if (Launcher.current().rank() != 0) {
      // All ranks of a job were called with the same words.
      return ExitCode.INPUT.number();
    }
    String name = line.getCommandSpec().qualifiedName();
    String text = "gemmflow: %s%nSee %s --help".formatted(e.getMessage(), name);
    line.getErr().println(line.getColorScheme().errorText(text));
    return ExitCode.INPUT.number();
  }

  @Override
  public CommandOutput output() {
    return output;
  }

  @Override
  public List<String> arguments() {
    return spec.commandLine().getParseResult().originalArgs();
  }
}
