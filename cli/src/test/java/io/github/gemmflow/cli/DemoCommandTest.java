// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.cli.job.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That the demo works is shown by {@link HelpTest}, which runs its example. */
class DemoCommandTest {
  /** The first command that fails ends it, with its own message and exit code. */
  @Test
  void aDirectoryThatCannotBeMadeIsAnError(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");
    Ran ran = Ran.here("demo", file.resolve("demo").toString());
    assertNotEquals(ExitCode.GOOD.number(), ran.exitCode(), ran::toString);
    assertTrue(ran.err().contains("file"), ran::toString);
  }
}
