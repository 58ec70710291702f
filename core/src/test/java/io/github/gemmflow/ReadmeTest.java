// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first program of the README, taken from the README, does what it says. */
@Tag("full")
class ReadmeTest {
  private static final Pattern PROGRAM = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  @TempDir private Path directory;

  @Test
  void theFirstProgramRunsOnTheClassPath() throws Exception {
    run(List.of("--enable-native-access=ALL-UNNAMED", "-cp", classes()));
  }

  /** Module mode, with all native access but ours denied. */
  @Test
  void theFirstProgramRunsAsAModule() throws Exception {
    run(
        List.of(
            "--illegal-native-access=deny",
            "--enable-native-access=io.github.gemmflow.core",
            "--module-path",
            classes(),
            "--add-modules",
            "io.github.gemmflow.core"));
  }

  /** Without the right to call the futex it works too, and says what that costs. */
  @Test
  void itWorksWithoutNativeAccess() throws Exception {
    String output = run(List.of("--illegal-native-access=deny", "-cp", classes()));
    assertTrue(output.contains("--enable-native-access"), output);
  }

  /** In a runtime of the modules that the program itself needs. */
  @Test
  void itWorksWithoutTheFlightRecorder() throws Exception {
    run(
        List.of(
            "--limit-modules=jdk.compiler,java.logging",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            classes()));
  }

  private static String classes() throws Exception {
    return Path.of(World.class.getProtectionDomain().getCodeSource().getLocation().toURI())
        .toString();
  }

  private String run(List<String> options) throws IOException, InterruptedException {
    Matcher program = PROGRAM.matcher(Files.readString(readme()));
    assertTrue(program.find(), "the README has a program");
    assertTrue(program.group(1).lines().count() < 30, "it is short");
    Path source = Files.writeString(directory.resolve("Hello.java"), program.group(1));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.add(source.toString());
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertTrue(process.waitFor(60, TimeUnit.SECONDS), "it does not end");
    assertEquals(0, process.exitValue(), output);
    for (int rank = 0; rank < 4; rank++) {
      String line = "rank %d: C is 12 x 32 F32, C[11, 31] = 96.0".formatted(rank);
      assertTrue(output.lines().anyMatch(line::equals), output);
    }
    return output;
  }

  private static Path readme() {
    Path here = Path.of("").toAbsolutePath();
    Path inModule = here.resolveSibling("README.md");
    return Files.exists(inModule) ? inModule : here.resolve("README.md");
  }
}
