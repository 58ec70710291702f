// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.host;

import io.github.gemmflow.cli.doctor.check.Finding;
import io.github.gemmflow.cli.doctor.check.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Check of huge pages: weights lie in transparent ones, if Linux gives them to those who ask. Of
 * shared memory the options of its mount decide. Nobody here uses explicit ones.
 */
public final class HugePagesCheck {
  public static final String NAME = "Huge pages";

  private static final String TRANSPARENT = "sys/kernel/mm/transparent_hugepage/enabled";
  private static final String EXPLICIT = "sys/kernel/mm/hugepages";
  private static final Pattern CHOSEN = Pattern.compile("\\[(\\w+)\\]");
  private static final Pattern MOUNT_OPTION = Pattern.compile("(?:^|,)huge=(\\w+)");

  private HugePagesCheck() {}

  /**
   * Looks at all kinds.
   *
   * @param sharedMemory the directory of windows
   */
  public static Finding look(Machine machine, Path sharedMemory) throws IOException {
    Optional<String> chosen =
        machine
            .read(TRANSPARENT)
            .map(CHOSEN::matcher)
            .filter(Matcher::find)
            .map(found -> found.group(1));
    if (chosen.isEmpty()) {
      return Finding.ok(NAME, "none: this kernel has no transparent huge pages");
    }
    String text =
        "transparent: %s; in %s: %s; reserved (not used by Gemmflow): %s"
            .formatted(
                chosen.get(), sharedMemory, ofMount(machine, sharedMemory), reserved(machine));
    return chosen.get().equals("never")
        ? Finding.warning(
            NAME,
            text + ". Products of few rows, which mostly read weights, are a tenth slower",
            "echo madvise > /%s, as root".formatted(TRANSPARENT))
        : Finding.ok(NAME, text);
  }

  /** The option of the mount that a directory is in: the longest path that it begins with. */
  private static String ofMount(Machine machine, Path directory) {
    String best = "";
    String options = "";
    for (String line : machine.read("proc/mounts").orElse("").split("\n", -1)) {
      String[] fields = line.split(" ", -1);
      if (fields.length > 3
          && fields[1].length() >= best.length()
          && directory.startsWith(fields[1])) {
        best = fields[1];
        options = fields[3];
      }
    }
    Matcher option = MOUNT_OPTION.matcher(options);
    return option.find() ? option.group(1) : "never";
  }

  private static String reserved(Machine machine) throws IOException {
    Path directory = machine.root().resolve(EXPLICIT);
    if (!Files.isDirectory(directory)) {
      return "none";
    }
    try (Stream<Path> sizes = Files.list(directory)) {
      String text =
          sizes
              .map(size -> size.getFileName().toString())
              .sorted()
              .map(size -> ofSize(machine, size))
              .filter(described -> !described.isEmpty())
              .collect(Collectors.joining(", "));
      return text.isEmpty() ? "none" : text;
    }
  }

  /**
   * How many there are of a size.
   *
   * @param size such as hugepages-2048kB
   */
  private static String ofSize(Machine machine, String size) {
    String count = machine.read("%s/%s/nr_hugepages".formatted(EXPLICIT, size)).orElse("0").strip();
    return count.equals("0")
        ? ""
        : "%s of %s".formatted(count, Arrays.asList(size.split("-", -1)).getLast());
  }
}
