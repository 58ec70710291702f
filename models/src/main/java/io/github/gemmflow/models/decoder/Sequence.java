// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.decoder;

import java.util.Arrays;

/**
 * A text that grows: its tokens, the same on all ranks, and what this rank keeps of those that the
 * model has seen. Not thread-safe.
 */
public final class Sequence {
  private final KvCache cache;
  private int[] tokens;
  private int seen;
  private int shown;

  /** A sequence that begins with a prompt. */
  Sequence(KvCache cache, int[] prompt) {
    this.cache = cache;
    this.tokens = prompt.clone();
    this.shown = prompt.length;
  }

  /** Adds a token, which the next pass shows to the model. */
  public void append(int token) {
    tokens = Arrays.copyOf(tokens, tokens.length + 1);
    tokens[tokens.length - 1] = token;
    shown = tokens.length;
  }

  /** Lets the next pass show so many tokens that the model has not seen, at most. */
  public void show(int most) {
    shown = Math.min(seen + most, tokens.length);
  }

  public int length() {
    return tokens.length;
  }

  int token(int position) {
    return tokens[position];
  }

  /** How many tokens the model has seen: their keys and values are in the cache. */
  public int seen() {
    return seen;
  }

  /** How many the next pass shows to it. */
  int fresh() {
    return shown - seen;
  }

  /** How many it has not seen. */
  public int unseen() {
    return tokens.length - seen;
  }

  /** The next pass begins after the last token that this one showed. */
  void markSeen() {
    seen = shown;
  }

  KvCache cache() {
    return cache;
  }
}
