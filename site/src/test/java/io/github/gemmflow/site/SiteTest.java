// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SiteTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** All but the Javadoc, which takes long; a page stands in for it. */
  @Test
  void allPagesAreThereAndNoLinkIsBroken(@TempDir Path site) throws IOException {
    Files.createDirectories(site.resolve("javadoc"));
    Files.writeString(site.resolve("javadoc/index.html"), "");
    List<Page> pages = Site.writePages(ROOT, site);
    assertTrue(pages.size() > 25, "pages: " + pages.size());
    assertEquals(List.of(), Links.broken(site, pages));
    String front = Files.readString(site.resolve("index.html"));
    assertTrue(front.contains("<table>") && front.contains("throughput-dark.svg"));
    String concepts = Files.readString(site.resolve("docs/concepts.html"));
    assertTrue(concepts.contains("<pre><code class=\"mermaid\">flowchart"), concepts);
  }

  @Test
  void aLinkThatLeadsNowhereIsFound(@TempDir Path site) throws IOException {
    Files.writeString(site.resolve("there.html"), "<h2 id=\"here\">");
    Page page =
        new Page(
            "page.html",
            "<a href=\"there.html#here\"> <a href=\"there.html#not\"> <a href=\"gone.html\">");
    Files.writeString(site.resolve("page.html"), page.html());
    assertEquals(
        List.of("page.html: there.html#not", "page.html: gone.html"),
        Links.broken(site, List.of(page)));
  }

  @Test
  void anchorsAreGitHubs() {
    assertEquals("two-hosts-1-gbits", Page.anchor("Two hosts, 1 Gbit/s"));
    assertEquals("gemmflowthreads", Page.anchor("gemmflow.threads"));
  }
}
