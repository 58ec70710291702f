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

/** Programs of the pages, taken from the pages, do what they say. */
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

  /**
   * The program of docs/quickstart-library.md that has a main method: the feed-forward part of a
   * layer.
   */
  @Test
  void theProgramOfTheQuickstartRuns() throws Exception {
    String program =
        PROGRAM
            .matcher(Files.readString(page("docs/quickstart-library.md")))
            .results()
            .map(found -> found.group(1))
            .filter(text -> text.contains("void main()"))
            .findFirst()
            .orElseThrow();
    assertTrue(program.lines().count() <= 40, "it is short");
    String output =
        run("Mlp.java", program, List.of("--enable-native-access=ALL-UNNAMED", "-cp", classes()));
    // silu(1) in BF16, 160 times, by 64, and the residual.
    float expected = 1 + 0.73046875f * 160 / 64;
    for (int rank = 0; rank < 3; rank++) {
      String line = "rank %d: %s".formatted(rank, expected);
      assertTrue(output.lines().anyMatch(line::equals), output);
    }
  }

  private String run(List<String> options) throws IOException, InterruptedException {
    Matcher program = PROGRAM.matcher(Files.readString(page("README.md")));
    assertTrue(program.find(), "the README has a program");
    assertTrue(program.group(1).lines().count() < 30, "it is short");
    String output = run("Hello.java", program.group(1), options);
    for (int rank = 0; rank < 4; rank++) {
      String line = "rank %d: C is 12 x 32 F32, C[11, 31] = 96.0".formatted(rank);
      assertTrue(output.lines().anyMatch(line::equals), output);
    }
    return output;
  }

  private String run(String name, String program, List<String> options)
      throws IOException, InterruptedException {
    Path source = Files.writeString(directory.resolve(name), program);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.add(source.toString());
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertTrue(process.waitFor(60, TimeUnit.SECONDS), "it does not end");
    assertEquals(0, process.exitValue(), output);
    return output;
  }

  private static Path page(String name) {
    Path here = Path.of("").toAbsolutePath();
    Path inModule = here.resolveSibling(name);
    return Files.exists(inModule) ? inModule : here.resolve(name);
  }
}
