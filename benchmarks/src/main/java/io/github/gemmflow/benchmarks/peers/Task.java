// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.peers;

import java.nio.file.Path;

/**
 * Task of every program: to continue a prompt with a model of a shape.
 *
 * @param directory where models are written
 */
record Task(Shape shape, int promptTokens, int tokens, Path directory) {
  static final String LETTERS = "abcdefghijklmnopqrstuvwxyz";

  /**
   * The prompt of programs that want a text: a token for each letter, after one for the beginning.
   */
  String letters() {
    return LETTERS.repeat(promptTokens / LETTERS.length() + 1).substring(0, promptTokens - 1);
  }

  /** The most tokens of a text that a model must know. */
  int positions() {
    return promptTokens + tokens + 16;
  }
}
