// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.command;

import io.github.gemmflow.Version;
import io.github.gemmflow.failure.GemmflowException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.Callable;
import picocli.CommandLine;

/** Runner of commands: errors of the caller need no stack trace. */
public final class Program {
  private Program() {}

  /** Runs a command as a process, and ends that, whatever the command throws. */
  public static void run(Callable<Integer> command, String[] arguments) {
    int code = CommandLine.ExitCode.SOFTWARE;
    try {
      code = of(command).execute(arguments);
    } catch (Throwable e) {
      // An error: threads that are left would keep the process.
      e.printStackTrace(System.err);
    }
    System.exit(code);
  }

  public static CommandLine of(Callable<Integer> command) {
    CommandLine program = new CommandLine(command);
    program.getCommandSpec().version(Version.TEXT);
    return program
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionExceptionHandler(
            (e, line, parsed) -> {
              if (e instanceof IllegalArgumentException
                  || e instanceof GemmflowException
                  || e instanceof IOException
                  || e instanceof UncheckedIOException) {
                // Without its class, the message of an IOException may be no more than a path.
                String text = e instanceof IOException ? e.toString() : e.getMessage();
                line.getErr().println(line.getColorScheme().errorText(text));
                return line.getCommandSpec().exitCodeOnExecutionException();
              }
              throw e;
            });
  }
}
