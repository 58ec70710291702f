// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.batch;

import io.github.gemmflow.models.decoder.Decoder;
import io.github.gemmflow.models.decoder.Sequence;
import java.util.ArrayList;
import java.util.List;

/**
 * Continuations that a model works on together. Any may join or leave between two passes: a pass
 * has one row for each that grows, and as many rows of prompts as there is room for. The same on
 * all ranks. Not thread-safe.
 */
public final class Batch {
  private final Decoder model;
  private final int maxRows;
  private final List<Continuation> going = new ArrayList<>();

  /**
   * An empty batch.
   *
   * @param maxRows the most rows of a pass; at least one for each continuation
   */
  public Batch(Decoder model, int maxRows) {
    this.model = model;
    this.maxRows = maxRows;
  }

  /** Adds one, whose prompt the next passes show to the model. */
  public void add(Continuation continuation) {
    going.add(continuation);
  }

  public int size() {
    return going.size();
  }

  /** Runs one pass, and removes those that are finished. Collective. */
  public void pass() {
    going.removeIf(Continuation::isFinished);
    if (going.isEmpty()) {
      return;
    }
    share();
    float[][] logits = model.run(going.stream().map(Continuation::sequence).toList());
    for (int i = 0; i < logits.length; i++) {
      // Of a prompt that is shown in several passes, the last says what comes next.
      if (going.get(i).sequence().unseen() == 0) {
        going.get(i).add(logits[i]);
      }
    }
    going.removeIf(Continuation::isFinished);
  }

  /** Says what each shows in the next pass: one row at first; those that are left go to prompts. */
  private void share() {
    int room = maxRows - going.size();
    for (Continuation continuation : going) {
      Sequence sequence = continuation.sequence();
      int more = Math.min(room, sequence.unseen() - 1);
      sequence.show(1 + more);
      room -= more;
    }
  }
}
