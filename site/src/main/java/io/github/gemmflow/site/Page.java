// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/**
 * Page of the site.
 *
 * @param path where it is, seen from the site's root
 * @param html all of it
 */
record Page(String path, String html) {
  private static final List<Extension> EXTENSIONS = List.of(TablesExtension.create());
  private static final Parser PARSER = Parser.builder().extensions(EXTENSIONS).build();

  /** The menu: what is shown, and the page's path. */
  private static final List<List<String>> MENU =
      List.of(
          List.of("Start"),
          List.of("Overview", "index.html"),
          List.of("Serve a model", "docs/quickstart-serve.html"),
          List.of("Use the library", "docs/quickstart-library.html"),
          List.of("Concepts", "docs/concepts.html"),
          List.of("FAQ", "docs/faq.html"),
          List.of("Comparison", "docs/comparison.html"),
          List.of("Guides"),
          List.of("Library", "docs/library.html"),
          List.of("Int8", "docs/int8.html"),
          List.of("Models", "docs/models.html"),
          List.of("Server", "docs/service.html"),
          List.of("Clusters", "docs/cluster.html"),
          List.of("NUMA", "docs/numa.html"),
          List.of("Troubleshooting", "docs/troubleshooting.html"),
          List.of("Reference"),
          List.of("Command line", "docs/command.html"),
          List.of("Settings", "docs/settings.html"),
          List.of("Javadoc", "javadoc/index.html"),
          List.of("Flight Recorder", "docs/jfr.html"),
          List.of("Stability", "docs/stability.html"),
          List.of("Results"),
          List.of("Performance", "docs/performance.html"),
          List.of("Methods", "docs/methods.html"),
          List.of("Scaling", "docs/scale.html"),
          List.of("Project"),
          List.of("Changelog", "CHANGELOG.html"),
          List.of("Design", "docs/design.html"),
          List.of("Dependencies", "docs/dependencies.html"),
          List.of("Contributing", "CONTRIBUTING.html"),
          List.of("Security", "SECURITY.html"));

  static Page read(Path root, Path file) throws IOException {
    String source = root.relativize(file).toString();
    String path = source.equals("README.md") ? "index.html" : html(source);
    Node document = PARSER.parse(Files.readString(file));
    Titles titles = new Titles();
    document.accept(titles);
    HtmlRenderer renderer =
        HtmlRenderer.builder()
            .extensions(EXTENSIONS)
            .attributeProviderFactory(
                context -> (node, tag, attributes) -> change(root, file, node, tag, attributes))
            .build();
    String up = "../".repeat((int) path.chars().filter(c -> c == '/').count());
    String body = tables(renderer.render(document));
    String html =
        PAGE.replace("{title}", titles.title)
            .replace("{menu}", menu(path, up))
            .replace("{script}", body.contains(DIAGRAM) ? DRAW : "")
            .replace("{up}", up)
            .replace("{body}", body);
    return new Page(path, html);
  }

  private static String html(String source) {
    return source.replaceAll("\\.md$", ".html");
  }

  /**
   * Links to pages become those of the site; to other files of the checkout, their place on the
   * web.
   */
  private static void change(
      Path root, Path file, Node node, String tag, Map<String, String> attributes) {
    if (node instanceof Heading heading) {
      attributes.put("id", anchor(text(heading)));
    }
    // Both a pre and the code in it are the block's; only the inner one is a diagram alone.
    if (node instanceof FencedCodeBlock block
        && tag.equals("code")
        && "mermaid".equals(block.getInfo())) {
      attributes.put("class", "mermaid");
    }
    String href = attributes.get("href");
    if (node instanceof Link && href != null && !href.contains(":") && !href.startsWith("#")) {
      String[] parts = href.split("#", 2);
      String anchor = parts.length == 1 ? "" : "#" + parts[1];
      Path target = file.resolveSibling(parts[0]).toAbsolutePath().normalize();
      String name = root.relativize(target).toString();
      boolean isPage = name.endsWith(".md");
      boolean isCopied = name.startsWith("docs/") && Files.isRegularFile(target);
      if (name.equals("README.md")) {
        attributes.put("href", parts[0].replaceAll("README\\.md$", "index.html") + anchor);
      } else if (isPage) {
        attributes.put("href", html(parts[0]) + anchor);
      } else if (!isCopied) {
        attributes.put("href", REPOSITORY + name);
      }
    }
  }

  /** Where files that are no pages can be read. */
  private static final String REPOSITORY = "https://github.com/gemmflow/gemmflow/blob/main/";

  /** As GitHub makes them. */
  static String anchor(String heading) {
    return heading.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-');
  }

  private static String text(Node node) {
    StringBuilder text = new StringBuilder();
    node.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Text part) {
            text.append(part.getLiteral());
          }

          @Override
          public void visit(Code part) {
            text.append(part.getLiteral());
          }
        });
    return text.toString();
  }

  /** Wide tables scroll by themselves, so that the page does not. */
  private static String tables(String html) {
    return html.replace("<table>", "<div class=\"table\"><table>")
        .replace("</table>", "</table></div>");
  }

  private static String menu(String path, String up) {
    StringBuilder menu = new StringBuilder();
    for (List<String> entry : MENU) {
      if (entry.size() == 1) {
        menu.append("<h2>").append(entry.getFirst()).append("</h2>\n");
      } else {
        String here = entry.getLast().equals(path) ? " aria-current=\"page\"" : "";
        menu.append(
            "<a href=\"%s%s\"%s>%s</a>\n".formatted(up, entry.getLast(), here, entry.getFirst()));
      }
    }
    return menu.toString();
  }

  /** The first heading of a page. */
  private static final class Titles extends AbstractVisitor {
    private String title = "Gemmflow";
    private boolean found;

    @Override
    public void visit(Heading heading) {
      if (!found) {
        found = true;
        title = text(heading);
      }
    }

    @Override
    public void visit(Image image) {}
  }

  private static final String DIAGRAM = "class=\"mermaid\"";

  private static final String DRAW =
      """
      <script src="{up}mermaid.min.js"></script>
      <script>
      mermaid.initialize({theme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "default"});
      mermaid.run({querySelector: ".mermaid"});
      </script>
      """;

  private static final String PAGE =
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>{title} - Gemmflow</title>
      <link rel="stylesheet" href="{up}site.css">
      </head>
      <body>
      <header><a href="{up}index.html">Gemmflow</a></header>
      <details class="menu"><summary>Menu</summary>
      <nav>
      {menu}</nav>
      </details>
      <main>
      {body}</main>
      {script}</body>
      </html>
      """;
}
