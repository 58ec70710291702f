// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi.binding;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Binder of functions of an MPI library, which says what their codes mean. No call is {@code
 * critical}: any of them may take its time or call back.
 */
abstract class Binder {
  /**
   * A function.
   *
   * @param name in C
   */
  record Function(String name, MethodHandle handle) {}

  private final SymbolLookup library;
  private final Abi abi;
  private final Function errorString;
  private final Function errorClass;
  private int worldRank = -1;

  Binder(SymbolLookup library, Abi abi) {
    this.library = library;
    this.abi = abi;
    this.errorString = bind("MPI_Error_string", JAVA_INT, ADDRESS, ADDRESS);
    this.errorClass = bind("MPI_Error_class", JAVA_INT, ADDRESS);
  }

  /** What errors call this process from now on. */
  final void setWorldRank(int rank) {
    worldRank = rank;
  }

  /** The layout of one of MPI's handles. */
  final MemoryLayout handle() {
    return abi.handle();
  }

  @SuppressWarnings("restricted") // the native calls that this module is for
  final Function bind(String name, MemoryLayout... parameters) {
    MemorySegment address =
        library
            .find(name)
            .orElseThrow(() -> new MpiException("the MPI library has no function " + name));
    MethodHandle raw =
        Linker.nativeLinker().downcallHandle(address, FunctionDescriptor.of(JAVA_INT, parameters));
    return new Function(name, widenHandles(raw, parameters));
  }

  /** Handles that are ints in C are longs here; all other ints stay what they are. */
  private static MethodHandle widenHandles(MethodHandle raw, MemoryLayout[] parameters) {
    MethodType type = raw.type();
    for (int i = 0; i < parameters.length; i++) {
      if (parameters[i].name().filter(Abi.HANDLE::equals).isPresent()) {
        type = type.changeParameterType(i, long.class);
      }
    }
    return MethodHandles.explicitCastArguments(raw, type);
  }

  /** Throws if a function did not return {@code MPI_SUCCESS}. */
  final void check(Function function, int code) {
    if (code != 0) {
      throw error(function.name, code);
    }
  }

  /** What a code other than {@code MPI_SUCCESS} means. */
  final MpiException error(String call, int code) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(abi.numbers().maxErrorString());
      int _ = (int) errorString.handle.invokeExact(code, text, arena.allocate(JAVA_INT));
      return new MpiException(call, code, errorClass(code), text.getString(0, UTF_8), worldRank);
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  /** The class of a code; 0 if it has none. */
  final int errorClass(int code) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocate(JAVA_INT);
      int failed = (int) errorClass.handle.invokeExact(code, number);
      return failed == 0 ? number.get(JAVA_INT, 0) : 0;
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }
}
