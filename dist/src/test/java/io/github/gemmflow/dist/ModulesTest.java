// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The modules of the build, their packages and what they depend on. */
class ModulesTest {
  private static final String BASE = "io.github.gemmflow";
  private static final Path ROOT = Path.of("..");
  private static final Pattern MODULE = Pattern.compile("<module>(.*?)</module>");
  private static final Pattern DEPENDENCY =
      Pattern.compile(
          "<dependency>(?:\\s|<!--[^>]*-->)*<groupId>io\\.github\\.gemmflow</groupId>\\s*"
              + "<artifactId>gemmflow-(.*?)</artifactId>(.*?)</dependency>",
          Pattern.DOTALL);

  /** Name, packages and dependencies, in backquotes, as the table of CONTRIBUTING.md has them. */
  private static final Pattern ROW =
      Pattern.compile("^\\| `([a-z-]+)` \\| (.*) \\| (.*) \\|$", Pattern.MULTILINE);

  /** Modules that are commands, or measure, test and list them: nothing else knows the command. */
  private static final Set<String> COMMANDS =
      Set.of("serve", "benchmarks", "system-tests", "dist", "site", "bom");

  private static List<String> modules() throws IOException {
    return Files.readString(ROOT.resolve("pom.xml"))
        .lines()
        .flatMap(line -> MODULE.matcher(line).results().map(found -> found.group(1)))
        .toList();
  }

  /** The modules that a module is built with, but for its tests. */
  private static Set<String> dependencies(String module) throws IOException {
    String pom = Files.readString(ROOT.resolve(module).resolve("pom.xml"));
    return DEPENDENCY
        .matcher(pom)
        .results()
        .filter(found -> !found.group(2).contains("<scope>test</scope>"))
        .map(found -> found.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The packages of a module, without the name that all of them begin with. */
  private static List<String> packages(String module) throws IOException {
    Path sources = ROOT.resolve(module).resolve("src/main/java");
    if (!Files.isDirectory(sources)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(sources)) {
      return files
          .filter(file -> file.endsWith("package-info.java"))
          .map(file -> sources.relativize(Objects.requireNonNull(file.getParent())).toString())
          .map(name -> name.replace('/', '.'))
          .map(name -> name.equals(BASE) ? name : name.substring(BASE.length()))
          .sorted(Comparator.naturalOrder())
          .toList();
    }
  }

  private static String row(String module) throws IOException {
    return "| `%s` | %s | %s |"
        .formatted(module, quoted(packages(module)), quoted(List.copyOf(dependencies(module))));
  }

  private static String quoted(List<String> names) {
    return names.stream().map(name -> "`" + name + "`").collect(Collectors.joining(", "));
  }

  @Test
  void allStandInTheTable() throws IOException {
    Map<String, String> expected = new TreeMap<>();
    for (String module : modules()) {
      expected.put(module, row(module));
    }
    Map<String, String> table =
        ROW.matcher(Files.readString(ROOT.resolve("CONTRIBUTING.md")))
            .results()
            .collect(
                Collectors.toMap(
                    found -> found.group(1), MatchResult::group, (a, b) -> b, TreeMap::new));
    assertEquals(
        String.join("\n", expected.values()),
        String.join("\n", table.values()),
        "the table of modules in CONTRIBUTING.md");
  }

  @Test
  void onlyCommandsKnowTheCommand() throws IOException {
    for (String module : modules()) {
      if (!COMMANDS.contains(module)) {
        Set<String> used = dependencies(module);
        assertTrue(
            used.stream().noneMatch(Set.of("cli", "serve")::contains),
            () -> "%s depends on %s".formatted(module, used));
      }
    }
  }

  @Test
  void whatIsPublishedHasItsVersionInTheBom() throws IOException {
    Set<String> published = new TreeSet<>();
    for (String module : modules()) {
      String pom = Files.readString(ROOT.resolve(module).resolve("pom.xml"));
      if (!module.equals("bom") && !pom.contains("<maven.deploy.skip>")) {
        published.add(module);
      }
    }
    assertEquals(published, dependencies("bom"));
  }

  @Test
  void theLibrariesStandOnLittle() throws IOException {
    assertEquals(Set.of(), dependencies("core"));
    assertEquals(Set.of(), dependencies("mpi-binding"));
    assertEquals(Set.of("files", "json"), dependencies("models"));
    assertEquals(Set.of("json", "unpack"), dependencies("text"));
  }
}
