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
    description =
        "Tensor-parallel linear layers for Java that overlap communication with computation.",
    mixinStandardHelpOptions = true,
    subcommands = {
      DemoCommand.class,
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
      "0:success",
      "1:check failed: results differ, or doctor found a problem",
      "2:invalid arguments or input file",
      "3:ranks could not be started, or their job failed",
      "4:internal error"
    },
    footer = {"%nGetting started:", "  gemmflow demo demo"})
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
