// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.batch;

import io.github.gemmflow.models.decoder.Sequence;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;

/** One prompt, and the tokens that it is continued with. Not thread-safe. */
public final class Continuation {
  private final Sequence sequence;
  private final Sampler sampler;
  private final int maxTokens;
  private final Set<Integer> ends;
  private final IntConsumer listener;
  private final List<Integer> tokens = new ArrayList<>();
  private boolean isCancelled;

  /**
   * A prompt that is not continued yet.
   *
   * @param sequence the prompt
   * @param maxTokens the most that are added
   * @param ends tokens that end it; they are the last then
   * @param listener hears of each token
   */
  public Continuation(
      Sequence sequence,
      Sampler sampler,
      int maxTokens,
      Collection<Integer> ends,
      IntConsumer listener) {
    this.sequence = sequence;
    this.sampler = sampler;
    this.maxTokens = maxTokens;
    this.ends = Set.copyOf(ends);
    this.listener = listener;
  }

  Sequence sequence() {
    return sequence;
  }

  /** Chooses the next token by its logits. */
  void add(float[] logits) {
    int token = sampler.choose(logits);
    sequence.append(token);
    tokens.add(token);
    listener.accept(token);
  }

  /** Ends it before its time. */
  public void cancel() {
    isCancelled = true;
  }

  /** What it was continued with so far. */
  public List<Integer> tokens() {
    return tokens;
  }

  /** Whether the last token is one that ends it. */
  public boolean isEnded() {
    return !tokens.isEmpty() && ends.contains(tokens.getLast());
  }

  public boolean isFinished() {
    return isCancelled || tokens.size() >= maxTokens || isEnded();
  }
}
