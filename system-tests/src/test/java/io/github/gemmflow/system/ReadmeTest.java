// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The README's program under MPI, changed by the command in the cluster guide. */
@Tag("full")
class ReadmeTest {
  private static final Pattern PROGRAM = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern CHANGE =
      Pattern.compile("^(sed .*) Hello.java > HelloMpi.java$", Pattern.MULTILINE);

  @TempDir private Path directory;

  @ParameterizedTest
  @CsvSource({"openmpi, 1", "mpich, 1", "openmpi, 2"})
  void theProgramJoins(String family, int hosts) throws IOException {
    String readme = Files.readString(Path.of("../README.md"));
    Path hello = Files.writeString(directory.resolve("Hello.java"), find(PROGRAM, readme));
    Path joined = directory.resolve("HelloMpi.java");
    String guide = Files.readString(Path.of("../docs/cluster.md"));
    String change = "%s %s > %s".formatted(find(CHANGE, guide), hello, joined);
    assertEquals(0, Job.execute(List.of("sh", "-c", change), Duration.ofSeconds(10)).exitCode());
    MpiFamily mpi = MpiFamily.valueOf(family.toUpperCase(Locale.ROOT));
    Lab lab = new Lab(hosts);
    lab.up();
    try {
      Job.Result result =
          Job.execute(
              new Job(mpi, 4, hosts).command(Job.java(List.of(), joined.toString())),
              Duration.ofSeconds(60));
      for (int rank = 0; rank < 4; rank++) {
        String line = "rank %d: C is 12 x 32 F32, C[11, 31] = 96.0".formatted(rank);
        assertTrue(result.lines().contains(line), result.text());
      }
    } finally {
      lab.down();
    }
  }

  private static String find(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    assertTrue(matcher.find(), pattern.toString());
    return matcher.group(1);
  }
}
