// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Pages of the documentation: their links, their form, and phrases that must not come back. */
class DocsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final int LONGEST_LINE = 320;

  private static final Pattern LINK = Pattern.compile("\\[[^\\]]*\\]\\(([^)\\s]+)\\)");
  private static final Pattern SOURCE = Pattern.compile("(?:src|srcset)=\"([^\"]+)\"");
  private static final Pattern HEADING = Pattern.compile("^(#+) (.*)$");

  /** A sentence that ends within a line; single letters and abbreviations do not end one. */
  private static final Pattern SENTENCES =
      Pattern.compile("(?<! [A-Za-z]|e\\.g|i\\.e|vs|etc)[.!?][)\"*`]* [A-Z]");

  private static final Pattern PROSE = Pattern.compile("^[^|<>#!\\s*-].*");
  private static final Pattern NUMBERED = Pattern.compile("^\\d+\\. .*");

  private static final Pattern COMMENT =
      Pattern.compile("/\\*.*?\\*/|(?m)^\\s*//[^\\n]*", Pattern.DOTALL);
  private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\\\n]|\\\\.)*)\"");

  private record Line(Path page, int number, String text) {
    String at(String problem) {
      return "%s:%d: %s: %s".formatted(ROOT.relativize(page), number, problem, text);
    }
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    for (Path directory : List.of(ROOT, ROOT.resolve("examples"))) {
      try (Stream<Path> files = Files.list(directory)) {
        files.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
      }
    }
    try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
      files.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
    }
    return pages;
  }

  /** Notes of the laboratory are as they were written. */
  private static boolean isEdited(Path page) {
    return !page.toString().contains("lab-notes");
  }

  /** Lines outside of code blocks. */
  private static List<Line> text(Path page) throws IOException {
    List<Line> text = new ArrayList<>();
    boolean isCode = false;
    int number = 0;
    for (String line : Files.readAllLines(page)) {
      number++;
      if (line.startsWith("```")) {
        isCode = !isCode;
      } else if (!isCode) {
        text.add(new Line(page, number, line));
      }
    }
    return text;
  }

  private static void assertNone(List<String> problems) {
    assertEquals("", String.join("\n", problems));
  }

  /** As GitHub makes them. */
  private static String anchor(String heading) {
    return heading
        .toLowerCase(Locale.ROOT)
        .replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
        .replaceAll("[^\\p{L}\\p{N} _-]", "")
        .replace(' ', '-');
  }

  private static List<String> anchors(Path page) throws IOException {
    List<String> anchors = new ArrayList<>();
    for (Line line : text(page)) {
      Matcher heading = HEADING.matcher(line.text);
      if (heading.matches()) {
        anchors.add(anchor(heading.group(2)));
      }
    }
    return anchors;
  }

  @Test
  void linksResolve() throws IOException {
    Map<Path, List<String>> known = new HashMap<>();
    for (Path page : pages()) {
      known.put(page, anchors(page));
    }
    List<String> problems = new ArrayList<>();
    for (Path page : pages()) {
      for (Line line : text(page)) {
        for (Pattern pattern : List.of(LINK, SOURCE)) {
          Matcher link = pattern.matcher(line.text);
          while (link.find()) {
            String target = link.group(1);
            if (!target.contains(":") && !resolves(page, target, known)) {
              problems.add(line.at("no such place"));
            }
          }
        }
      }
    }
    assertNone(problems);
  }

  private static boolean resolves(Path page, String target, Map<Path, List<String>> known) {
    String[] parts = target.split("#", 2);
    Path file =
        parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).toAbsolutePath().normalize();
    if (!Files.exists(file)) {
      return false;
    }
    return parts.length == 1 || known.getOrDefault(file, List.of()).contains(parts[1]);
  }

  @Test
  void headings() throws IOException {
    List<String> problems = new ArrayList<>();
    for (Path page : pages()) {
      int titles = 0;
      for (Line line : text(page)) {
        Matcher heading = HEADING.matcher(line.text);
        if (heading.matches()) {
          int level = heading.group(1).length();
          titles += level == 1 ? 1 : 0;
          if (level > 3) {
            problems.add(line.at("a heading of level " + level));
          }
        }
      }
      if (titles != 1) {
        problems.add("%s: %d titles".formatted(ROOT.relativize(page), titles));
      }
    }
    assertNone(problems);
  }

  @Test
  void oneSentencePerLine() throws IOException {
    List<String> problems = new ArrayList<>();
    for (Path page : pages()) {
      for (Line line : text(page)) {
        boolean isProse =
            PROSE.matcher(line.text).matches() && !NUMBERED.matcher(line.text).matches();
        if (isEdited(page) && isProse && SENTENCES.matcher(line.text).find()) {
          problems.add(line.at("several sentences"));
        }
        if (isEdited(page) && isProse && line.text.length() > LONGEST_LINE) {
          problems.add(line.at("a long line"));
        }
      }
    }
    assertNone(problems);
  }

  @Test
  void tablesAndCode() throws IOException {
    List<String> problems = new ArrayList<>();
    for (Path page : pages()) {
      String before = "";
      for (Line line : text(page)) {
        if (isEdited(page) && line.text.startsWith("    ") && before.isEmpty()) {
          problems.add(line.at("indented code: use a fenced block"));
        }
        boolean isRule = line.text.matches("\\|[-| ]+\\|");
        if (isEdited(page) && isRule && before.matches("\\|[ |]*\\|")) {
          problems.add(line.at("a table without headings"));
        }
        before = line.text;
      }
    }
    assertNone(problems);
  }

  /** One phrase on a line; lines that begin with # say why. */
  private static List<Pattern> phrases() throws IOException {
    Path list = ROOT.resolve("dist/src/test/resources/phrases.txt");
    return Files.readAllLines(list).stream()
        .filter(line -> !line.isBlank() && !line.startsWith("#"))
        .map(line -> Pattern.compile(line, Pattern.CASE_INSENSITIVE))
        .toList();
  }

  @Test
  void phrasesThatMustNotComeBack() throws IOException {
    List<Pattern> phrases = phrases();
    List<String> problems = new ArrayList<>();
    for (Path page : pages()) {
      for (Line line : text(page)) {
        for (Pattern phrase : phrases) {
          if (isEdited(page) && phrase.matcher(line.text).find()) {
            problems.add(line.at("\"" + phrase + "\""));
          }
        }
      }
    }
    assertNone(problems);
  }

  /** Messages, help and output are read by the same people. */
  @Test
  void messagesDoNotHaveThemEither() throws IOException {
    List<Pattern> phrases = phrases();
    List<String> problems = new ArrayList<>();
    for (Path source : sources()) {
      Matcher literal = LITERAL.matcher(COMMENT.matcher(Files.readString(source)).replaceAll(""));
      while (literal.find()) {
        for (Pattern phrase : phrases) {
          if (phrase.matcher(literal.group(1)).find()) {
            problems.add(
                "%s: \"%s\": %s".formatted(ROOT.relativize(source), phrase, literal.group(1)));
          }
        }
      }
    }
    assertNone(problems);
  }

  private static List<Path> sources() throws IOException {
    List<Path> sources = new ArrayList<>();
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path module : modules.map(path -> path.resolve("src/main/java")).toList()) {
        if (Files.isDirectory(module)) {
          try (Stream<Path> files = Files.walk(module)) {
            files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
          }
        }
      }
    }
    return sources;
  }
}
