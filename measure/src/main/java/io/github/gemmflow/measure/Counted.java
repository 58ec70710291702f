// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure;

/** Noun with its number, as in "1 host" and "2 hosts". */
public final class Counted {
  private Counted() {}

  /** So many of a noun whose plural ends with an s. */
  public static String of(long count, String noun) {
    return "%d %s%s".formatted(count, noun, count == 1 ? "" : "s");
  }
}
