// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The version of this library, as the build wrote it down. */
public final class Version {
  /** Such as 1.2.3, or 1.2.3-SNAPSHOT. */
  public static final String TEXT = read();

  private Version() {}

  private static String read() {
    try (InputStream in = Version.class.getResourceAsStream("version.txt")) {
      return in == null ? "unknown" : new String(in.readAllBytes(), UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read version.txt", e);
    }
  }
}
