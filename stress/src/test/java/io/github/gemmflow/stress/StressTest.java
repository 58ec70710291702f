// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openjdk.jcstress.infra.collectors.DiskReadCollector;
import org.openjdk.jcstress.infra.collectors.InProcessCollector;
import org.openjdk.jcstress.infra.collectors.TestResult;

/**
 * Runs every stress test with every way of compiling it that jcstress knows: for a moment each, or
 * for {@code gemmflow.stress} milliseconds. jcstress fails if it sees what a test forbids.
 */
@Tag("soak")
class StressTest {
  private static final int TESTS = 4;
  private static final int MOMENT = 50;

  @Test
  void nothingForbiddenIsSeen(@TempDir Path directory) throws Exception {
    int millis = Integer.getInteger("gemmflow.stress", MOMENT);
    Path log = Path.of("target", "jcstress.log");
    Process jcstress =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "org.openjdk.jcstress.Main",
                "-jvmArgsPrepend",
                "--enable-native-access=ALL-UNNAMED",
                "-sc",
                "false",
                "-iters",
                "1",
                "-fsm",
                "1",
                "-time",
                String.valueOf(millis))
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    assertEquals(0, jcstress.waitFor(), () -> "see " + log.toAbsolutePath());
    Map<String, Long> samples = samples(directory);
    System.out.println("StressTest: samples of each test: " + samples);
    assertEquals(TESTS, samples.size(), "not all tests ran");
    assertTrue(samples.values().stream().allMatch(count -> count > 0), "a test saw nothing");
  }

  private static Map<String, Long> samples(Path directory) throws Exception {
    InProcessCollector collector = new InProcessCollector();
    try (var files = Files.newDirectoryStream(directory, "*.bin.gz")) {
      for (Path file : files) {
        DiskReadCollector reader = new DiskReadCollector(file.toString(), collector);
        reader.dump();
        reader.close();
      }
    }
    Map<String, Long> samples = new TreeMap<>();
    for (TestResult result : collector.getTestResults()) {
      samples.merge(result.getName(), result.getTotalCount(), Long::sum);
    }
    return samples;
  }
}
