// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.cli.job.ExitCode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What {@code --help} says is so, and fits a terminal. */
@Tag("full")
class HelpTest {
  private static final int COLUMNS = 80;
  private static final String PROMPT = "  gemmflow ";

  /** All but what only those who package the command need. */
  static Stream<String> commands() {
    return Gemmflow.commandLine().getSubcommands().entrySet().stream()
        .filter(entry -> !entry.getValue().getCommandSpec().usageMessage().hidden())
        .map(Map.Entry::getKey);
  }

  @ParameterizedTest
  @MethodSource("commands")
  void helpFitsAndItsExampleWorks(String name, @TempDir Path directory) {
    String help = Ran.here(name, "--help").good().out();
    checkText(help);
    List<String> examples = examples(help);
    assertFalse(examples.isEmpty(), help);
    for (String example : examples) {
      Ran ran = Ran.apart(directory, List.of(), example.split(" +"));
      // Whether a machine has a problem is not the example's fault.
      assertTrue(
          ran.exitCode() == 0 || (name.equals("doctor") && ran.exitCode() == 1), ran::toString);
    }
    String last = examples.getLast();
    assertTrue(last.startsWith(name), last);
  }

  /** Its example is one that a subcommand has, too, where it is run. */
  @Test
  void theWholeCommand() {
    String help = Ran.here("--help").good().out();
    checkText(help);
    for (String example : examples(help)) {
      String command = example.substring(0, example.indexOf(' '));
      String ofCommand = Ran.here(command, "--help").good().out();
      assertTrue(examples(ofCommand).contains(example), example);
    }
    commands().forEach(name -> assertTrue(help.contains("\n  " + name + " "), help));
  }

  /** It fits a terminal, and it was formatted: a lone percent sign would prevent that. */
  private static void checkText(String help) {
    help.lines().forEach(line -> assertTrue(line.length() <= COLUMNS, line));
    assertFalse(help.contains("%n"), help);
  }

  private static List<String> examples(String help) {
    return help.lines()
        .filter(line -> line.startsWith(PROMPT))
        .map(line -> line.substring(PROMPT.length()))
        .toList();
  }

  /** The same words in the list of exit codes as in the code. */
  @Test
  void exitCodes() {
    String help = Ran.here("--help").good().out();
    for (ExitCode code : ExitCode.values()) {
      assertTrue(help.contains("\n  %d   ".formatted(code.number())), help);
    }
    assertEquals(ExitCode.INPUT.number(), Ran.here("bench", "--no-such-option").exitCode());
  }
}
