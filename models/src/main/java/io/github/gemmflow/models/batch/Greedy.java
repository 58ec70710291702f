// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.batch;

import io.github.gemmflow.models.decoder.Decoder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Continuation of prompts with the likeliest token, again and again: first one pass over all
 * prompts, then passes of one row for each sequence that goes on.
 */
public final class Greedy {
  private final Batch batch;
  private final List<Continuation> all = new ArrayList<>();
  private final List<List<float[]>> logits = new ArrayList<>();
  private double prefillMillis;
  private double decodeMillis;
  private int decodePasses;

  /**
   * Prepares to continue prompts.
   *
   * @param maxTokens for each
   * @param ends tokens that end a sequence
   * @param listener hears of each token of the first prompt
   * @param keepsLogits whether the logits of all tokens are kept; they can be large
   */
  public Greedy(
      Decoder model,
      List<int[]> prompts,
      int maxTokens,
      List<Integer> ends,
      IntConsumer listener,
      boolean keepsLogits) {
    if (prompts.isEmpty()) {
      throw new IllegalArgumentException("0 prompts cannot be continued: give at least one");
    }
    if (maxTokens < 1) {
      throw new IllegalArgumentException(
          "a prompt cannot be continued with %d tokens: give at least one".formatted(maxTokens));
    }
    this.batch = new Batch(model, prompts.stream().mapToInt(prompt -> prompt.length).sum());
    for (int[] prompt : prompts) {
      List<float[]> kept = new ArrayList<>();
      logits.add(kept);
      Sampler sampler = keepsLogits ? Sampler.greedy().keep(kept::add) : Sampler.greedy();
      IntConsumer hears = all.isEmpty() ? listener : token -> {};
      all.add(new Continuation(model.begin(prompt), sampler, maxTokens, ends, hears));
    }
  }

  /** Runs to the end. Collective. */
  public Greedy run() {
    all.forEach(batch::add);
    prefillMillis = pass();
    while (batch.size() > 0) {
      decodeMillis += pass();
      decodePasses++;
    }
    return this;
  }

  /** Gives each sequence its next token; returns how long that took, in milliseconds. */
  private double pass() {
    long start = System.nanoTime();
    batch.pass();
    return (System.nanoTime() - start) / 1e6;
  }

  /** The tokens that continue each prompt. */
  public List<List<Integer>> tokens() {
    return all.stream().map(Continuation::tokens).toList();
  }

  /** The logits that each of these tokens was chosen by, if they were kept. */
  public List<List<float[]>> logits() {
    return logits;
  }

  /** The time of the first pass, in milliseconds. */
  public double prefillMillis() {
    return prefillMillis;
  }

  /** The mean time of a later pass, in milliseconds: one more token for every sequence. */
  public double decodeMillis() {
    return decodeMillis / Math.max(1, decodePasses);
  }
}
