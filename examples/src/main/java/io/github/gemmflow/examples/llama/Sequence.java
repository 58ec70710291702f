// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.llama;

import java.util.Arrays;

/**
 * A text that grows: its tokens, the same on all ranks, and what this rank keeps of those that the
 * model has seen. Not thread-safe.
 */
final class Sequence {
  private final KvCache cache;
  private int[] tokens;
  private int seen;

  /**
   * A sequence.
   *
   * @param prompt its first tokens
   */
  Sequence(KvCache cache, int[] prompt) {
    this.cache = cache;
    this.tokens = prompt.clone();
  }

  void append(int token) {
    tokens = Arrays.copyOf(tokens, tokens.length + 1);
    tokens[tokens.length - 1] = token;
  }

  int length() {
    return tokens.length;
  }

  int token(int position) {
    return tokens[position];
  }

  /** How many tokens the model has seen: their keys and values are in the cache. */
  int seen() {
    return seen;
  }

  /** How many it has not seen. */
  int unseen() {
    return tokens.length - seen;
  }

  /** The next pass begins after the last token. */
  void markSeen() {
    seen = tokens.length;
  }

  KvCache cache() {
    return cache;
  }
}
