// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.decoder;

import java.util.Arrays;

/**
 * The keys and values of one sequence: all layers, and those heads that this rank has. Grows by
 * doubling. Not thread-safe.
 */
final class KvCache {
  private static final int FIRST_CAPACITY = 16;

  private final int heads;
  private final int headSize;
  private int capacity = FIRST_CAPACITY;

  /** Of each layer and head, one row per element and one column per position. */
  private final float[][] keys;

  /** Of each layer and head, one row per position and one column per element. */
  private final float[][] values;

  /** An empty cache for so many key-value heads of this rank. */
  KvCache(int layers, int heads, int headSize) {
    this.heads = heads;
    this.headSize = headSize;
    this.keys = new float[layers * heads][headSize * capacity];
    this.values = new float[layers * heads][headSize * capacity];
  }

  /** Makes room for so many positions. */
  void reserve(int positions) {
    if (positions <= capacity) {
      return;
    }
    int larger = Math.max(positions, 2 * capacity);
    for (int i = 0; i < keys.length; i++) {
      float[] grown = new float[headSize * larger];
      for (int element = 0; element < headSize; element++) {
        System.arraycopy(keys[i], element * capacity, grown, element * larger, capacity);
      }
      keys[i] = grown;
      values[i] = Arrays.copyOf(values[i], headSize * larger);
    }
    capacity = larger;
  }

  /** Stores the keys and values of all heads at a position. */
  void put(int layer, int position, float[] newKeys, float[] newValues) {
    for (int head = 0; head < heads; head++) {
      float[] target = keys(layer, head);
      for (int element = 0; element < headSize; element++) {
        target[element * capacity + position] = newKeys[head * headSize + element];
      }
      System.arraycopy(
          newValues, head * headSize, values(layer, head), position * headSize, headSize);
    }
  }

  /** Keys with one column per position, {@link #capacity()} of them to a row. */
  float[] keys(int layer, int head) {
    return keys[layer * heads + head];
  }

  /** Values with one row per position. */
  float[] values(int layer, int head) {
    return values[layer * heads + head];
  }

  int capacity() {
    return capacity;
  }
}
