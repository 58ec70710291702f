// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.data;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** Checksums of files from when they were made, in the format of {@code sha256sum --check}. */
final class Checksums {
  private static final String NAME = "SHA256SUMS";

  private Checksums() {}

  /** Writes down what files of a directory hold. */
  static Path write(Path directory, List<Path> files) throws IOException {
    List<String> lines = new ArrayList<>();
    for (Path file : files) {
      lines.add(of(file) + "  " + file.getFileName());
    }
    return Files.write(directory.resolve(NAME), lines);
  }

  /** Whether a file still holds what it did; true if nobody wrote that down. */
  static boolean isUnchanged(Path file) throws IOException {
    Path sums = file.resolveSibling(NAME);
    if (!Files.exists(sums)) {
      return true;
    }
    String end = "  " + file.getFileName();
    Optional<String> line =
        Files.readAllLines(sums).stream().filter(l -> l.endsWith(end)).findFirst();
    return line.isEmpty() || line.get().equals(of(file) + end);
  }

  private static String of(Path file) throws IOException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
        in.transferTo(OutputStream.nullOutputStream());
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }
}
