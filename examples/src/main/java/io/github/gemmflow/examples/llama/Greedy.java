// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.llama;

import io.github.gemmflow.cli.bench.Counted;
import java.util.ArrayList;
import java.util.List;

/**
 * Continuation of prompts with the likeliest token, again and again: first one pass over all
 * prompts, then passes of one row for each sequence that goes on.
 */
final class Greedy {
  private final Llama model;
  private final int maxTokens;
  private final int stop;
  private final List<Sequence> sequences = new ArrayList<>();
  private final List<List<Integer>> tokens = new ArrayList<>();
  private final List<List<float[]>> logits = new ArrayList<>();
  private boolean keepsLogits;
  private double prefillMillis;
  private double decodeMillis;
  private int decodePasses;

  /**
   * Prepares to continue prompts.
   *
   * @param maxTokens for each
   * @param stop the token that ends a sequence; -1 for none
   */
  Greedy(Llama model, List<int[]> prompts, int maxTokens, int stop) {
    if (prompts.isEmpty() || maxTokens < 1) {
      throw new IllegalArgumentException(
          "%s cannot be continued with %s: give at least one of each"
              .formatted(Counted.of(prompts.size(), "prompt"), Counted.of(maxTokens, "token")));
    }
    this.model = model;
    this.maxTokens = maxTokens;
    this.stop = stop;
    for (int[] prompt : prompts) {
      sequences.add(model.begin(prompt));
      tokens.add(new ArrayList<>());
      logits.add(new ArrayList<>());
    }
  }

  /** Keeps the logits of all tokens; they can be large. */
  Greedy keepLogits() {
    keepsLogits = true;
    return this;
  }

  /** Runs to the end. Collective. */
  Greedy run() {
    List<Integer> going = new ArrayList<>();
    for (int s = 0; s < sequences.size(); s++) {
      going.add(s);
    }
    prefillMillis = pass(going);
    going.removeIf(this::isFinished);
    while (!going.isEmpty()) {
      decodeMillis += pass(going);
      decodePasses++;
      going.removeIf(this::isFinished);
    }
    return this;
  }

  private boolean isFinished(int s) {
    return tokens.get(s).size() >= maxTokens || tokens.get(s).contains(stop);
  }

  /** Gives each sequence its next token; returns how long that took, in milliseconds. */
  private double pass(List<Integer> going) {
    long start = System.nanoTime();
    float[][] next = model.run(going.stream().map(sequences::get).toList());
    for (int i = 0; i < next.length; i++) {
      int s = going.get(i);
      int best = argmax(next[i]);
      sequences.get(s).append(best);
      tokens.get(s).add(best);
      if (keepsLogits) {
        logits.get(s).add(next[i]);
      }
    }
    return (System.nanoTime() - start) / 1e6;
  }

  /** The likeliest token; of several, the first. */
  static int argmax(float[] values) {
    int best = 0;
    for (int i = 1; i < values.length; i++) {
      best = values[i] > values[best] ? i : best;
    }
    return best;
  }

  /** What each prompt was continued with. */
  List<List<Integer>> tokens() {
    return tokens;
  }

  /** The logits that each of these tokens was chosen by, if they were kept. */
  List<List<float[]>> logits() {
    return logits;
  }

  /** The first pass, in milliseconds. */
  double prefillMillis() {
    return prefillMillis;
  }

  /** A later pass, in milliseconds: one more token for every sequence that goes on. */
  double decodeMillis() {
    return decodeMillis / Math.max(1, decodePasses);
  }
}
