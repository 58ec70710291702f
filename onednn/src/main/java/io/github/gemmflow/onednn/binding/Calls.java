// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn.binding;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;

/**
 * The functions of oneDNN for engines and memory, one method each, after their C names. Its objects
 * are longs; a function that makes one returns it. A function that does not return {@code
 * dnnl_success} throws.
 */
final class Calls extends Binder {
  Calls(Library library) {
    super(library);
  }

  private final Function version = bind("dnnl_version", FunctionDescriptor.of(ADDRESS));

  MemorySegment version() {
    try {
      return (MemorySegment) version.handle().invokeExact();
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function getEffectiveCpuIsa = bind("dnnl_get_effective_cpu_isa");

  int getEffectiveCpuIsa() {
    try {
      return (int) getEffectiveCpuIsa.handle().invokeExact();
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function engineCreate = bind("dnnl_engine_create", ADDRESS, JAVA_INT, JAVA_LONG);

  long engineCreate(int kind, long index) {
    return make(engineCreate, out -> (int) engineCreate.handle().invokeExact(out, kind, index));
  }

  private final Function streamCreate = bind("dnnl_stream_create", ADDRESS, JAVA_LONG, JAVA_INT);

  long streamCreate(long engine, int flags) {
    return make(streamCreate, out -> (int) streamCreate.handle().invokeExact(out, engine, flags));
  }

  private final Function streamDestroy = bind("dnnl_stream_destroy", JAVA_LONG);

  void streamDestroy(long stream) {
    try {
      check(streamDestroy, (int) streamDestroy.handle().invokeExact(stream));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function memoryDescCreateWithStrides =
      bind("dnnl_memory_desc_create_with_strides", ADDRESS, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS);

  long memoryDescCreateWithStrides(
      int dimensions, MemorySegment sizes, int type, MemorySegment strides) {
    return make(
        memoryDescCreateWithStrides,
        out ->
            (int)
                memoryDescCreateWithStrides
                    .handle()
                    .invokeExact(out, dimensions, sizes, type, strides));
  }

  private final Function memoryDescCreateWithTag =
      bind("dnnl_memory_desc_create_with_tag", ADDRESS, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);

  long memoryDescCreateWithTag(int dimensions, MemorySegment sizes, int type, int tag) {
    return make(
        memoryDescCreateWithTag,
        out ->
            (int) memoryDescCreateWithTag.handle().invokeExact(out, dimensions, sizes, type, tag));
  }

  private final Function memoryDescClone = bind("dnnl_memory_desc_clone", ADDRESS, JAVA_LONG);

  long memoryDescClone(long description) {
    return make(
        memoryDescClone, out -> (int) memoryDescClone.handle().invokeExact(out, description));
  }

  private final Function memoryDescDestroy = bind("dnnl_memory_desc_destroy", JAVA_LONG);

  void memoryDescDestroy(long description) {
    try {
      check(memoryDescDestroy, (int) memoryDescDestroy.handle().invokeExact(description));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function memoryDescGetSize =
      bind("dnnl_memory_desc_get_size", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));

  long memoryDescGetSize(long description) {
    try {
      return (long) memoryDescGetSize.handle().invokeExact(description);
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function memoryCreate =
      bind("dnnl_memory_create", ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_LONG);

  long memoryCreate(long description, long engine, long address) {
    return make(
        memoryCreate,
        out -> (int) memoryCreate.handle().invokeExact(out, description, engine, address));
  }

  private final Function memorySetDataHandle =
      bind("dnnl_memory_set_data_handle", JAVA_LONG, JAVA_LONG);

  void memorySetDataHandle(long memory, long address) {
    try {
      check(memorySetDataHandle, (int) memorySetDataHandle.handle().invokeExact(memory, address));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function memoryDestroy = bind("dnnl_memory_destroy", JAVA_LONG);

  void memoryDestroy(long memory) {
    try {
      check(memoryDestroy, (int) memoryDestroy.handle().invokeExact(memory));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }
}
