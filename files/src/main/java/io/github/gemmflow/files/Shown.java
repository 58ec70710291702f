// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

/** Names from files, as they appear in messages. */
final class Shown {
  private static final int LENGTH = 80;

  private Shown() {}

  /** Short enough for a message, and without what confuses terminals. */
  static String of(String text) {
    String start = text.length() > LENGTH ? text.substring(0, LENGTH) + "..." : text;
    return start.replaceAll("\\p{Cc}", "?");
  }
}
