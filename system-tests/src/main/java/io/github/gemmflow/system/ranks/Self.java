// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system.ranks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** This process and its host, as Linux describes them. */
final class Self {
  private Self() {}

  /** Bytes that came into this host over its link of the lab. */
  static long bytesReceived() {
    String line = line("/proc/net/dev", "eth0:");
    return Long.parseLong(words(line).get(0));
  }

  /** Resident bytes of this process. */
  static long residentBytes() {
    return kib(line("/proc/self/status", "VmRSS:"));
  }

  /** Those of them that no file is behind: heap, stacks, and what libraries have allocated. */
  static long anonymousBytes() {
    return kib(line("/proc/self/status", "RssAnon:"));
  }

  /** This process's share, in bytes, of the windows that it has mapped. */
  static long windowShareBytes() {
    long bytes = 0;
    boolean inWindow = false;
    for (String line : lines("/proc/self/smaps")) {
      // A mapping begins with its addresses; what is said of it begins with a word.
      if (Character.isLowerCase(line.charAt(0)) || Character.isDigit(line.charAt(0))) {
        inWindow = line.contains("/dev/shm/gemmflow-");
      } else if (inWindow && line.startsWith("Pss:")) {
        bytes += kib(line.substring("Pss:".length()));
      }
    }
    return bytes;
  }

  static long openFiles() {
    return entries("/proc/self/fd");
  }

  static long threads() {
    return entries("/proc/self/task");
  }

  static long sharedMemoryFiles() {
    return entries("/dev/shm");
  }

  private static long entries(String directory) {
    try (Stream<Path> entries = Files.list(Path.of(directory))) {
      return entries.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long kib(String text) {
    return 1024 * Long.parseLong(words(text.toLowerCase(Locale.ROOT).replace("kb", "")).get(0));
  }

  private static List<String> words(String text) {
    return List.of(text.strip().split("\\s+", -1));
  }

  /** What follows a word at the beginning of a line. */
  private static String line(String file, String start) {
    return lines(file).stream()
        .map(String::strip)
        .filter(line -> line.startsWith(start))
        .map(line -> line.substring(start.length()))
        .findFirst()
        .orElseThrow();
  }

  private static List<String> lines(String file) {
    try {
      return Files.readAllLines(Path.of(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
