// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The unpacked command, in a path with a space, called from another directory. */
@Tag("full")
class CommandTest {
  @TempDir private static Path directory;
  private static Distribution distribution;

  @BeforeAll
  static void unpack() throws IOException {
    distribution = Distribution.unpack(directory);
  }

  @Test
  void version() throws IOException {
    Distribution.Result result = distribution.gemmflow("--version");
    assertEquals(new Distribution.Result(0, Distribution.VERSION + "\n", ""), result);
  }

  /** Bash complains about it, and that is all. */
  @Test
  void aLocaleThatIsNotInstalled() throws IOException {
    Map<String, String> environment =
        Map.of("JAVA_HOME", Distribution.JDK, "LC_ALL", "xx_XX.UTF-8");
    Distribution.Result result = distribution.run(distribution.command(), environment, "--version");
    assertEquals(0, result.exitCode(), result::toString);
    assertEquals(Distribution.VERSION + "\n", result.out());
  }

  @Test
  void throughSymbolicLinks() throws IOException {
    Files.createSymbolicLink(directory.resolve("direct"), distribution.command());
    Path relative = Files.createSymbolicLink(directory.resolve("another name"), Path.of("direct"));
    Distribution.Result result =
        distribution.run(relative, Map.of("JAVA_HOME", Distribution.JDK), "--version");
    assertEquals(new Distribution.Result(0, Distribution.VERSION + "\n", ""), result);
  }

  @Test
  void wordsStayWhole() throws IOException {
    Distribution.Result result = distribution.gemmflow("no such * command");
    assertEquals(2, result.exitCode());
    assertTrue(result.err().contains("'no such * command'"), result::err);
  }

  /** Everything that a measurement needs is in the archive, the native library with it. */
  @Test
  void aMeasurement() throws IOException {
    String[] words =
        "bench --engine local -n 2 --gm 64 --gk 64 --gn 32 --iterations 3".split(" ", 0);
    Distribution.Result result = distribution.gemmflow(words);
    assertEquals(0, result.exitCode(), result::err);
    assertTrue(result.out().contains("verified: exact on all ranks"), result::out);
    assertTrue(result.out().contains("kernel onednn"), result::toString);
  }

  /** An archive may be without the commands that run models, and what they alone need. */
  @Test
  void withoutModels() throws IOException {
    Distribution small = Distribution.unpack(directory.resolve("small"));
    String models =
        "gemmflow-(serve|models|text)-|tokenizers-|jackson-databind-|jackson-annotations-";
    try (Stream<Path> jars = Files.list(small.home().resolve("lib"))) {
      for (Path jar : jars.toList()) {
        if (Pattern.compile("^(" + models + ")").matcher(jar.getFileName().toString()).find()) {
          Files.delete(jar);
        }
      }
    }
    assertTrue(distribution.gemmflow("--help").out().contains("\n  serve "));
    assertFalse(small.gemmflow("--help").out().contains("\n  serve "));
    String[] words = "bench --engine local -n 2 --gm 8 --gk 8 --gn 8 --iterations 3".split(" ", 0);
    Distribution.Result result = small.gemmflow(words);
    assertEquals(0, result.exitCode(), result::err);
    assertTrue(small.gemmflow("serve").err().contains("'serve'"));
  }

  /** Judged only while a Java that does nothing starts at once: otherwise others are at work. */
  @Test
  void helpComesInHalfASecond() throws Exception {
    assertTrue(distribution.gemmflow("--help").out().startsWith("Usage: gemmflow"));
    Path java = Path.of(Distribution.JDK, "bin", "java");
    List<Long> bare = new ArrayList<>();
    List<Long> help = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      bare.add(millis(() -> distribution.run(java, Map.of(), "-version")));
      help.add(millis(() -> distribution.gemmflow("--help")));
    }
    String figures = "java -version %s ms, gemmflow --help %s ms".formatted(bare, help);
    System.out.println(figures);
    assumeTrue(Collections.max(bare) < 50, figures);
    assertTrue(median(help) < 500, figures);
  }

  private static long millis(Callable<Distribution.Result> run) throws Exception {
    long start = System.nanoTime();
    assertEquals(0, run.call().exitCode());
    return (System.nanoTime() - start) / 1_000_000;
  }

  private static long median(List<Long> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }
}
