// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn.binding;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The arguments of a primitive, and a stream to run it in. Not thread-safe. */
final class Arguments implements AutoCloseable {
  private final DnnlObjects objects;
  private final long stream;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment list;
  private final long[] memories;
  private int count;

  Arguments(DnnlObjects objects, int most) {
    this.objects = objects;
    this.stream = objects.newStream();
    this.memories = new long[most];
    this.list = arena.allocate((long) most * Abi.ARGUMENT_BYTES, Long.BYTES);
  }

  /**
   * Adds one.
   *
   * @param what {@code DNNL_ARG_...}
   * @return its index, for {@link #point}
   */
  int add(int what, long description) {
    long memory = objects.newMemory(description);
    memories[count] = memory;
    long at = (long) count * Abi.ARGUMENT_BYTES;
    list.set(JAVA_INT, at, what);
    list.set(JAVA_LONG, at + Abi.ARGUMENT_MEMORY_AT, memory);
    return count++;
  }

  /** Says where an argument lies. */
  void point(int index, long address) {
    objects.calls().memorySetDataHandle(memories[index], address);
  }

  /**
   * Runs a primitive; it is done on return.
   *
   * @param first memory of arguments that is not freed before that, as {@code second}
   */
  void execute(long primitive, MemorySegment first, MemorySegment second) {
    objects.calls().primitiveExecute(primitive, stream, count, list, first, second);
  }

  @Override
  public void close() {
    for (int i = 0; i < count; i++) {
      objects.destroyMemory(memories[i]);
    }
    objects.destroyStream(stream);
    arena.close();
  }
}
