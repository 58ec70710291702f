// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.site;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/**
 * Static site of a checkout: each Markdown page as HTML with one menu, and the Javadoc of what is
 * exported. A link that leads nowhere ends it.
 */
public final class Site {
  /** Modules that users depend on. */
  private static final List<String> MODULES =
      List.of(
          "core",
          "mpi-binding",
          "mpi",
          "unpack",
          "onednn",
          "files",
          "simulator",
          "json",
          "measure",
          "text",
          "models",
          "cli",
          "serve");

  private static final String MERMAID =
      "/META-INF/resources/webjars/mermaid/11.6.0/dist/mermaid.min.js";

  private Site() {}

  /** Writes the site of a checkout to a directory. */
  public static void main(String[] arguments) throws IOException {
    Path root = Path.of(arguments[0]).toAbsolutePath().normalize();
    Path target = Path.of(arguments[1]).toAbsolutePath();
    List<Page> pages = writePages(root, target);
    writeJavadoc(root, target.resolve("javadoc"));
    List<String> broken = Links.broken(target, pages);
    if (!broken.isEmpty()) {
      throw new IOException("links that lead nowhere:\n" + String.join("\n", broken));
    }
    System.out.printf("%d pages and the Javadoc: %s%n", pages.size(), target.resolve("index.html"));
  }

  /** Writes all pages, with their pictures. */
  static List<Page> writePages(Path root, Path target) throws IOException {
    List<Page> pages = new ArrayList<>();
    for (Path file : files(root)) {
      pages.add(Page.read(root, file));
    }
    for (Page page : pages) {
      Path file = target.resolve(page.path());
      Files.createDirectories(Objects.requireNonNull(file.getParent()));
      Files.writeString(file, page.html());
    }
    copyResource("/site.css", target.resolve("site.css"));
    copyResource(MERMAID, target.resolve("mermaid.min.js"));
    copyPictures(root, target);
    return pages;
  }

  private static void copyResource(String name, Path to) throws IOException {
    try (InputStream in = Site.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException("the class path has no " + name);
      }
      Files.copy(in, to, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private static List<Path> files(Path root) throws IOException {
    List<Path> files = new ArrayList<>();
    for (String name :
        List.of(
            "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md")) {
      files.add(root.resolve(name));
    }
    files.add(root.resolve("examples/README.md"));
    try (Stream<Path> docs = Files.walk(root.resolve("docs"))) {
      docs.filter(file -> file.toString().endsWith(".md")).sorted().forEach(files::add);
    }
    return files;
  }

  private static void copyPictures(Path root, Path target) throws IOException {
    List<Path> pictures;
    try (Stream<Path> docs = Files.walk(root.resolve("docs"))) {
      pictures =
          docs.filter(Files::isRegularFile)
              .filter(file -> !file.toString().matches(".*\\.(md|java)"))
              .toList();
    }
    for (Path picture : pictures) {
      Path copy = target.resolve(root.relativize(picture).toString());
      Files.createDirectories(Objects.requireNonNull(copy.getParent()));
      Files.copy(picture, copy, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private static void writeJavadoc(Path root, Path target) throws IOException {
    List<String> words = new ArrayList<>();
    words.addAll(List.of("-d", target.toString(), "-quiet", "-notimestamp", "-Xdoclint:none"));
    words.addAll(List.of("-windowtitle", "Gemmflow", "-doctitle", "Gemmflow"));
    words.addAll(List.of("--module-path", System.getProperty("java.class.path")));
    StringBuilder names = new StringBuilder();
    for (String module : MODULES) {
      String name = "io.github.gemmflow." + module.replace('-', '.');
      words.addAll(
          List.of(
              "--module-source-path", name + "=" + root.resolve(module).resolve("src/main/java")));
      names.append(names.isEmpty() ? "" : ",").append(name);
    }
    words.addAll(List.of("--module", names.toString()));
    ToolProvider javadoc = ToolProvider.findFirst("javadoc").orElseThrow();
    int exitCode = javadoc.run(System.out, System.err, words.toArray(String[]::new));
    if (exitCode != 0) {
      throw new IOException("javadoc ended with " + exitCode);
    }
  }
}
