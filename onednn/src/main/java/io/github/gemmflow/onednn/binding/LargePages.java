// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn.binding;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Memory in pages of 2 MiB, where Linux has them to give. Products of few rows do little but read
 * weights, and that is a tenth faster with fewer pages to look up.
 */
public final class LargePages {
  private static final long PAGE = 2 << 20;

  // <bits/mman-linux.h>, <bits/mman-map-flags-generic.h>
  private static final int PROT_READ_WRITE = 0x3;
  private static final int MAP_PRIVATE_ANONYMOUS = 0x22;
  private static final int MADV_HUGEPAGE = 14;

  private LargePages() {}

  /** Zeros, until {@code arena} is closed; in small pages if there are no large ones. */
  public static MemorySegment allocate(long bytes, Arena arena) {
    return bytes < PAGE || !System.getProperty("os.name").equals("Linux")
        ? arena.allocate(bytes, 64)
        : Libc.INSTANCE.map(bytes, arena);
  }

  private record Libc(MethodHandle mmap, MethodHandle munmap, MethodHandle madvise) {
    static final Libc INSTANCE =
        new Libc(
            bind(
                "mmap",
                FunctionDescriptor.of(
                    ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG)),
            bind("munmap", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG)),
            bind("madvise", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT)));

    @SuppressWarnings("restricted") // the native calls that this module is for
    private static MethodHandle bind(String name, FunctionDescriptor type) {
      Linker linker = Linker.nativeLinker();
      return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type);
    }

    @SuppressWarnings("restricted") // memory that was just mapped, with this size
    MemorySegment map(long bytes, Arena arena) {
      // One page more than is needed, to begin at the start of one; nobody touches the rest.
      long mapped = bytes + PAGE;
      try {
        MemorySegment start =
            (MemorySegment)
                mmap.invokeExact(0L, mapped, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0L);
        if (start.address() == -1) {
          throw new OutOfMemoryError("%,d bytes for weights cannot be mapped".formatted(mapped));
        }
        MemorySegment memory = start.reinterpret(mapped, arena, this::unmap);
        long first = -start.address() & (PAGE - 1);
        int _ = (int) madvise.invokeExact(start.address() + first, bytes, MADV_HUGEPAGE);
        return memory.asSlice(first, bytes);
      } catch (Throwable e) {
        throw Unchecked.of(e);
      }
    }

    private void unmap(MemorySegment memory) {
      try {
        int _ = (int) munmap.invokeExact(memory, memory.byteSize());
      } catch (Throwable e) {
        throw Unchecked.of(e);
      }
    }
  }
}
