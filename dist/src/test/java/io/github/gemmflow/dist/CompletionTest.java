// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What bash completes, asked in the way that bash asks. */
@Tag("full")
class CompletionTest {
  /** Arguments: the script, and the line as it is when the tabulator key is pressed. */
  private static final String ASK =
      """
      source "$1" || exit 1
      words=$(complete -p gemmflow) && [[ $words =~ -F\\ ([^ ]+) ]] || exit 1
      COMP_LINE=$2 COMP_POINT=${#2}
      read -r -a COMP_WORDS <<<"$2"
      [[ $2 == *\\  ]] && COMP_WORDS+=("")
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      "${BASH_REMATCH[1]}" gemmflow "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
      printf '%s\\n' "${COMPREPLY[@]}"
      """;

  @TempDir private static Path directory;
  private static Distribution distribution;

  @BeforeAll
  static void unpack() throws IOException {
    distribution = Distribution.unpack(directory);
  }

  private static String completed(String line) throws IOException {
    Path script = distribution.home().resolve("share/bash-completion/completions/gemmflow");
    Path bash = distribution.tools().resolve("bash");
    Distribution.Result result =
        distribution.run(bash, Map.of(), "-c", ASK, "bash", script.toString(), line);
    assertEquals(0, result.exitCode(), result::err);
    return result.out().strip();
  }

  @ParameterizedTest
  @CsvSource({
    "gemmflow be, bench",
    "gemmflow serve --allowed, --allowed-hosts",
    "gemmflow --vers, --version",
    "gemmflow bench --tra, --trace",
    "gemmflow bench --operation red, reduce-scatter"
  })
  void words(String line, String word) throws IOException {
    assertEquals(word, completed(line));
  }

  @Test
  void files() throws IOException {
    Path file = Files.createFile(directory.resolve("result.json"));
    String start = file.toString().replace("sult.json", "");
    assertEquals(file.toString(), completed("gemmflow bench --json " + start));
  }
}
