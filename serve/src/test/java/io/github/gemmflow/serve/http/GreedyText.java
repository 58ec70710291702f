// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve.http;

import io.github.gemmflow.text.TextStream;
import io.github.gemmflow.text.Tokenizer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Texts that a model gives to a prompt if it chooses the likeliest token again and again. Where
 * several tokens are about equally likely, sums in another order may choose any of them; so there
 * is one text for each of them, and it is followed to its end.
 */
final class GreedyText {
  /** Logits that differ by less are about equal. */
  static final double NEAR = 1e-4;

  /** A model, and a prompt. */
  interface Model {
    /** The logits of what comes after some tokens of an answer. */
    float[] logits(List<Integer> answer);
  }

  private final Model model;
  private final Tokenizer tokenizer;
  private final int tokens;
  private final List<Integer> ends;

  /**
   * The texts of a model.
   *
   * @param tokens the most that a text has
   * @param ends tokens that end a text
   */
  GreedyText(Model model, Tokenizer tokenizer, int tokens, List<Integer> ends) {
    this.model = model;
    this.tokenizer = tokenizer;
    this.tokens = tokens;
    this.ends = ends;
  }

  /** Throws unless a text is one of them. */
  void check(String text) {
    String expected = "";
    Deque<List<Integer>> open = new ArrayDeque<>(List.of(List.of()));
    while (!open.isEmpty()) {
      List<Integer> answer = open.pop();
      expected = text(answer);
      if (isWhole(answer)) {
        if (expected.equals(text)) {
          return;
        }
      } else if (text.startsWith(expected)) {
        likeliest(answer).forEach(token -> open.push(plus(answer, token)));
      }
    }
    throw new AssertionError("'%s', not '%s'".formatted(text, expected));
  }

  private boolean isWhole(List<Integer> answer) {
    return answer.size() == tokens || (!answer.isEmpty() && ends.contains(answer.getLast()));
  }

  /** The text of an answer; before its end, that which does not depend on what follows. */
  private String text(List<Integer> answer) {
    TextStream stream = new TextStream(tokenizer);
    StringBuilder text = new StringBuilder();
    answer.forEach(token -> text.append(ends.contains(token) ? "" : stream.add(token)));
    return isWhole(answer) ? text + stream.end() : text.toString();
  }

  /** The token that comes next, and those that are about as likely. */
  private List<Integer> likeliest(List<Integer> answer) {
    float[] logits = model.logits(answer);
    float best = Float.NEGATIVE_INFINITY;
    for (float logit : logits) {
      best = Math.max(best, logit);
    }
    List<Integer> likeliest = new ArrayList<>();
    for (int token = 0; token < logits.length; token++) {
      if (best - logits[token] < NEAR) {
        likeliest.add(token);
      }
    }
    return likeliest;
  }

  private static List<Integer> plus(List<Integer> answer, int token) {
    List<Integer> longer = new ArrayList<>(answer);
    longer.add(token);
    return longer;
  }
}
