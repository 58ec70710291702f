// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Links between the pages of a site. */
final class Links {
  private static final Pattern LINK = Pattern.compile("(?:href|src|srcset)=\"([^\"]+)\"");

  private Links() {}

  /** Those that lead to no file, or to a place that is not in it. */
  static List<String> broken(Path site, List<Page> pages) throws IOException {
    List<String> broken = new ArrayList<>();
    for (Page page : pages) {
      Matcher link = LINK.matcher(page.html());
      while (link.find()) {
        String target = link.group(1);
        if (!target.contains(":") && !isThere(site.resolve(page.path()), target)) {
          broken.add(page.path() + ": " + target);
        }
      }
    }
    return broken;
  }

  private static boolean isThere(Path page, String target) throws IOException {
    String[] parts = target.split("#", 2);
    Path file = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
    if (!Files.isRegularFile(file)) {
      return false;
    }
    return parts.length == 1 || Files.readString(file).contains("id=\"" + parts[1] + "\"");
  }
}
