// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.decoder;

import java.util.Arrays;

/**
 * The keys and values of one sequence: all layers, and those heads that this rank has. Grows by
 * doubling. Not thread-safe.
 */
final class KvCache {
  private static final int FIRST_CAPACITY = 16;

  /** Header of an object, and a reference to one, at most. */
  private static final long OBJECT_BYTES = 16;

  private static final long REFERENCE_BYTES = 8;

  /** What an empty cache takes, its arrays' headers included. */
  static final int MORE_POSITIONS = FIRST_CAPACITY + 4;

  private final int heads;
  private final int headSize;
  private int capacity = FIRST_CAPACITY;

  /** Of each layer and head, a row for each element, with a column for each position. */
  private final float[][][] keys;

  /** Of each layer and head, a row for each position, with a column for each element. */
  private final float[][][] values;

  /** An empty cache for so many key-value heads of this rank. */
  KvCache(int layers, int heads, int headSize) {
    this.heads = heads;
    this.headSize = headSize;
    this.keys = new float[layers * heads][headSize][capacity];
    this.values = new float[layers * heads][capacity][];
  }

  /**
   * The most bytes that a position takes, with arrays that are up to twice as long as they need to
   * be. A cache takes those of {@link #MORE_POSITIONS} more than it has.
   */
  static long bytesPerPosition(int layers, int heads, int headSize) {
    long keys = 2L * Float.BYTES * headSize;
    long values = OBJECT_BYTES + (long) Float.BYTES * headSize + 2 * REFERENCE_BYTES;
    return (long) layers * heads * (keys + values);
  }

  /** Makes room for so many positions. */
  void reserve(int positions) {
    if (positions <= capacity) {
      return;
    }
    int larger = Math.max(positions, 2 * capacity);
    for (int i = 0; i < keys.length; i++) {
      for (int element = 0; element < headSize; element++) {
        keys[i][element] = Arrays.copyOf(keys[i][element], larger);
      }
      values[i] = Arrays.copyOf(values[i], larger);
    }
    capacity = larger;
  }

  /** Stores the keys and values of all heads at a position. */
  void put(int layer, int position, float[] newKeys, float[] newValues) {
    for (int head = 0; head < heads; head++) {
      int first = head * headSize;
      float[][] target = keys(layer, head);
      for (int element = 0; element < headSize; element++) {
        target[element][position] = newKeys[first + element];
      }
      values(layer, head)[position] = Arrays.copyOfRange(newValues, first, first + headSize);
    }
  }

  /** Keys, a row for each element. */
  float[][] keys(int layer, int head) {
    return keys[layer * heads + head];
  }

  /** Values, a row for each position. */
  float[][] values(int layer, int head) {
    return values[layer * heads + head];
  }
}
