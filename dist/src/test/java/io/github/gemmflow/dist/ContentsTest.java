// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("full")
class ContentsTest {
  private static final Pattern JAR = Pattern.compile("(.+?)-[0-9].*\\.jar");

  @TempDir private static Path directory;
  private static Path home;

  @BeforeAll
  static void unpack() throws IOException {
    home = Distribution.unpack(directory).home();
  }

  @Test
  void documents() throws IOException {
    for (String name : List.of("LICENSE", "CHANGELOG.md")) {
      assertEquals(-1, Files.mismatch(Path.of("..", name), home.resolve(name)), name);
    }
    Path readMe = Path.of("src", "main", "README.md");
    assertEquals(-1, Files.mismatch(readMe, home.resolve("README.md")));
    Path settings = Path.of("..", "docs", "gemmflow.jfc");
    assertEquals(-1, Files.mismatch(settings, home.resolve("share").resolve("gemmflow.jfc")));
  }

  /** Whoever adds a library says under which licence it is passed on. */
  @Test
  void everyLibraryOfOthersIsNamed() throws IOException {
    String named = Files.readString(home.resolve("THIRD-PARTY.md"));
    try (Stream<Path> jars = Files.list(home.resolve("lib"))) {
      for (Path jar : jars.toList()) {
        Matcher matcher = JAR.matcher(jar.getFileName().toString());
        assertTrue(matcher.matches(), jar::toString);
        String name = matcher.group(1);
        assertTrue(
            name.startsWith("gemmflow-") || named.contains(":" + name + "`"),
            () -> "dist/src/main/THIRD-PARTY.md says nothing of " + name);
      }
    }
  }
}
