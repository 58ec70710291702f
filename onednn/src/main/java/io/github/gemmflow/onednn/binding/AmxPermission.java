// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn.binding;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;

/** Linux lets a process use AMX only after it has asked; oneDNN asks when it looks at the CPU. */
public final class AmxPermission {
  // asm/unistd_64.h, asm/prctl.h, and XFEATURE_XTILE_DATA of asm/fpu/types.h: all of x86-64
  private static final long SYS_ARCH_PRCTL = 158;
  private static final long ARCH_REQ_XCOMP_PERM = 0x1023;
  private static final long XFEATURE_XTILE_DATA = 18;

  private AmxPermission() {}

  /** Asks for it. Returns 0 if it is granted, otherwise the error number of the system call. */
  @SuppressWarnings("restricted") // the native calls that this module is for
  public static int request() {
    Linker linker = Linker.nativeLinker();
    MethodHandle syscall =
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("syscall"),
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
            Linker.Option.captureCallState("errno"),
            Linker.Option.firstVariadicArg(1));
    StructLayout state = Linker.Option.captureStateLayout();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment captured = arena.allocate(state);
      long result =
          (long)
              syscall.invokeExact(
                  captured, SYS_ARCH_PRCTL, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILE_DATA);
      long errno = state.byteOffset(PathElement.groupElement("errno"));
      return result == 0 ? 0 : captured.get(JAVA_INT, errno);
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }
}
