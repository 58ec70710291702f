// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.batch;

import io.github.gemmflow.models.decoder.Decoder;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Prompt to be continued, as all ranks know it.
 *
 * @param id a number of its own
 * @param prompt its tokens
 * @param maxTokens the most tokens that continue it
 * @param temperature see {@link Sampler}
 * @param topP see {@link Sampler}
 * @param seed see {@link Sampler}
 */
public record Task(
    long id, List<Integer> prompt, int maxTokens, double temperature, double topP, long seed) {
  public Task {
    prompt = List.copyOf(prompt);
  }

  /** The tokens that every rank needs memory for until it is finished. */
  public long room() {
    return (long) prompt.size() + maxTokens + Decoder.MORE_TOKENS;
  }

  int[] tokens() {
    return prompt.stream().mapToInt(Integer::intValue).toArray();
  }

  Sampler sampler() {
    return new Sampler(temperature, topP, seed);
  }

  void write(DataOutput out) throws IOException {
    out.writeLong(id);
    out.writeInt(prompt.size());
    for (int token : prompt) {
      out.writeInt(token);
    }
    out.writeInt(maxTokens);
    out.writeDouble(temperature);
    out.writeDouble(topP);
    out.writeLong(seed);
  }

  static Task read(DataInput in) throws IOException {
    long id = in.readLong();
    int count = in.readInt();
    List<Integer> prompt = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      prompt.add(in.readInt());
    }
    return new Task(id, prompt, in.readInt(), in.readDouble(), in.readDouble(), in.readLong());
  }
}
