// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn.binding;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Binder of functions of oneDNN, which turns their statuses into exceptions. */
abstract class Binder {
  /**
   * A function.
   *
   * @param name in C
   */
  record Function(String name, MethodHandle handle) {}

  /** A call that makes an object and writes it to where it is told. */
  @FunctionalInterface
  interface Maker {
    int make(MemorySegment out) throws Throwable;
  }

  private final Library library;

  Binder(Library library) {
    this.library = library;
  }

  /** A function that returns a status, or another int. */
  final Function bind(String name, MemoryLayout... parameters) {
    return bind(name, FunctionDescriptor.of(JAVA_INT, parameters));
  }

  @SuppressWarnings("restricted") // the native calls that this module is for
  final Function bind(String name, FunctionDescriptor type) {
    MemorySegment address =
        library
            .symbols()
            .find(name)
            .orElseThrow(
                () ->
                    new DnnlException(
                        "%s is not oneDNN: it has no function %s".formatted(library.name(), name)));
    return new Function(name, Linker.nativeLinker().downcallHandle(address, type));
  }

  static void check(Function function, int status) {
    if (status != 0) {
      throw new DnnlException("%s: %s".formatted(function.name, Abi.status(status)));
    }
  }

  static long make(Function function, Maker maker) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_LONG);
      check(function, maker.make(out));
      return out.get(JAVA_LONG, 0);
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }
}
