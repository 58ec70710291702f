// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.dist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The script of a checkout that builds a module before it is run for the first time. */
@Tag("full")
@Timeout(60)
class BuildTest {
  /** Notes how it was called. */
  private static final String MVN = "#!/usr/bin/env bash\necho \"$*\" >>calls\n";

  private static final String BUILDS = "mkdir -p cli/target/lib; touch cli/target/runnable\n";

  @TempDir private Path temporary;
  private Path checkout;
  private Path source;

  @BeforeEach
  void makeCheckout() throws IOException {
    checkout = Files.createDirectory(temporary.resolve("a checkout"));
    Path bin = Files.createDirectory(checkout.resolve("bin"));
    Files.copy(Path.of("..", "bin", "build"), bin.resolve("build"));
    Files.createFile(checkout.resolve("pom.xml"));
    source = Files.createDirectories(checkout.resolve("core/src/main/java")).resolve("A.java");
    Files.createFile(source);
    Files.createFile(checkout.resolve("core/pom.xml"));
  }

  /** What Maven does here, in the directory of the checkout. */
  private void letMaven(String script) throws IOException {
    Path mvn = Files.createDirectories(temporary.resolve("tools")).resolve("mvn");
    Files.writeString(mvn, MVN + script);
    Files.setPosixFilePermissions(mvn, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private Process start() throws IOException {
    ProcessBuilder builder = new ProcessBuilder("bash", "bin/build", "cli", "-Dquick");
    builder
        .environment()
        .merge("PATH", temporary.resolve("tools").toString(), (old, ours) -> ours + ":" + old);
    return builder.directory(checkout.toFile()).redirectErrorStream(true).start();
  }

  private int build() throws IOException, InterruptedException {
    Process process = start();
    String _ = new String(process.getInputStream().readAllBytes(), UTF_8);
    return process.waitFor();
  }

  private List<String> calls() throws IOException {
    Path calls = checkout.resolve("calls");
    return Files.exists(calls) ? Files.readAllLines(calls) : List.of();
  }

  @Test
  void aModuleIsBuiltOnce() throws IOException, InterruptedException {
    letMaven(BUILDS);
    assertEquals(0, build());
    assertEquals(
        List.of("-B --no-transfer-progress package -pl cli -am -Dquick"), calls(), "first");
    assertEquals(0, build());
    assertEquals(1, calls().size());
  }

  /** A stale build never runs: not after an edit, nor after a file that came or went. */
  @Test
  void whatHasChangedIsBuiltAgain() throws IOException, InterruptedException {
    letMaven(BUILDS);
    assertEquals(0, build());
    Path other = source.resolveSibling("B.java");
    int calls = 1;
    for (Path changed : List.of(source, other, other)) {
      if (changed.equals(other) && Files.exists(other)) {
        Files.delete(other);
        passTime(checkout.resolve("core/src/main/java"));
      } else {
        Files.writeString(changed, "class A {}");
        passTime(changed);
      }
      assertEquals(0, build());
      assertEquals(++calls, calls().size(), changed::toString);
      assertEquals(0, build());
      assertEquals(calls, calls().size(), changed::toString);
    }
  }

  /** File systems count in milliseconds, and this test is quick: the build was 10 s ago. */
  private void passTime(Path changed) throws IOException {
    Path built = checkout.resolve("cli/target/runnable");
    Files.setLastModifiedTime(
        built, FileTime.from(Files.getLastModifiedTime(changed).toInstant().minusSeconds(10)));
  }

  /** An edit while Maven runs may have come too late for it. */
  @Test
  void whatChangesDuringABuildIsBuiltTheNextTime() throws IOException, InterruptedException {
    letMaven("touch --date='5 seconds' core/src/main/java/A.java\n" + BUILDS);
    assertEquals(0, build());
    letMaven(BUILDS);
    assertEquals(0, build());
    assertEquals(2, calls().size());
  }

  @Test
  void whatAnInterruptedBuildHasLeftIsBuilt() throws IOException, InterruptedException {
    letMaven(BUILDS);
    Files.createDirectories(checkout.resolve("cli/target/lib"));
    assertEquals(0, build());
    assertEquals(1, calls().size());
  }

  @Test
  void aBuildThatFailsIsTriedAgain() throws IOException, InterruptedException {
    letMaven("mkdir -p cli/target/lib; echo '[ERROR] no space left'; exit 1\n");
    Process failing = start();
    String said = new String(failing.getInputStream().readAllBytes(), UTF_8);
    assertTrue(said.endsWith("The build failed:\n[ERROR] no space left\n"), said);
    assertEquals(1, failing.waitFor());
    letMaven(BUILDS);
    assertEquals(0, build());
    assertEquals(2, calls().size());
  }

  /** One of them builds, and the others wait for it. */
  @Test
  void ranksThatStartTogetherBuildOnce() throws IOException, InterruptedException {
    letMaven("for _ in {1..600}; do [[ -e go ]] && break; sleep 0.1; done\n" + BUILDS);
    List<Process> ranks = new ArrayList<>();
    List<String> said = new ArrayList<>();
    try {
      for (int rank = 0; rank < 3; rank++) {
        Process process = start();
        ranks.add(process);
        BufferedReader reader = process.inputReader();
        said.add(String.valueOf(reader.readLine()).replaceAll("^(\\w+).*", "$1"));
      }
      assertEquals(List.of("Building", "Waiting", "Waiting"), said);
      assertFalse(Files.exists(checkout.resolve("cli/target/runnable")));
    } finally {
      Files.createFile(checkout.resolve("go"));
      for (Process process : ranks) {
        assertEquals(0, process.waitFor());
      }
    }
    assertEquals(1, calls().size());
  }

  /** What Maven has written about the command is true, and was written last. */
  @Test
  void mavenMarksWhatIsComplete() throws IOException {
    Path mark = Path.of("..", "cli", "target", "runnable");
    Path libraries = mark.resolveSibling("lib");
    for (String library : Files.readString(mark).split(File.pathSeparator, -1)) {
      assertTrue(Files.exists(libraries.resolve(Path.of(library).getFileName())), library);
    }
    assertTrue(
        Files.getLastModifiedTime(mark).compareTo(Files.getLastModifiedTime(libraries)) >= 0);
  }
}
