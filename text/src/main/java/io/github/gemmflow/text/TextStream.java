// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.text;

import java.util.ArrayList;
import java.util.List;

/**
 * Text of tokens that come one by one. A character may take several tokens, and what a token means
 * may depend on the one before it; so text comes out only when it does not change any more.
 */
public final class TextStream {
  /** What a decoder writes for a character of which bytes are missing. */
  private static final char INCOMPLETE = '\uFFFD';

  private final Tokenizer tokenizer;

  /** Those whose text is not out yet, after a few whose is. */
  private List<Integer> tokens = new ArrayList<>();

  private int done;

  public TextStream(Tokenizer tokenizer) {
    this.tokenizer = tokenizer;
  }

  /** Adds a token, and returns the text that it completes; nothing, if it completes none. */
  public String add(int token) {
    tokens.add(token);
    String before = tokenizer.decode(tokens.subList(0, done));
    String all = tokenizer.decode(tokens);
    if (all.length() <= before.length() || all.charAt(all.length() - 1) == INCOMPLETE) {
      return "";
    }
    tokens = new ArrayList<>(tokens.subList(done, tokens.size()));
    done = tokens.size();
    return all.substring(before.length());
  }

  /** The rest, when no more tokens come. */
  public String end() {
    String before = tokenizer.decode(tokens.subList(0, done));
    return tokenizer.decode(tokens).substring(before.length());
  }
}
