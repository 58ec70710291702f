// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi.binding;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Functions of the C library that are needed before MPI can be loaded. */
final class Libc {
  // bits/dlfcn.h
  private static final int RTLD_NOW = 2;
  private static final int RTLD_GLOBAL = 0x100;

  /** Bytes of {@code Dl_info} of dlfcn.h: four addresses, the first that of the file's name. */
  private static final int DL_INFO_BYTES = 32;

  private final MethodHandle setenv =
      function("setenv", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
  private final MethodHandle dlopen =
      function("dlopen", FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT));

  private final MethodHandle dladdr =
      function("dladdr", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));

  // Bound before anything fails: to look a symbol up clears the error.
  private final MethodHandle dlerror = function("dlerror", FunctionDescriptor.of(ADDRESS));

  @SuppressWarnings("restricted") // the native calls that this module is for
  private static MethodHandle function(String name, FunctionDescriptor descriptor) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor);
  }

  void setenv(String name, String value) {
    setenv(name, value, 1);
  }

  void setenvUnlessSet(String name, String value) {
    setenv(name, value, 0);
  }

  private void setenv(String name, String value, int overwrite) {
    try (Arena arena = Arena.ofConfined()) {
      int _ =
          (int) setenv.invokeExact(arena.allocateFrom(name), arena.allocateFrom(value), overwrite);
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  /**
   * Opens a library for good, with its symbols among the global ones, where Open MPI's plug-ins
   * expect them. Returns what went wrong, or nothing.
   */
  String open(String name) {
    return open(name, RTLD_NOW | RTLD_GLOBAL);
  }

  /** The same, but its symbols stay its own, so that several libraries can be looked at. */
  String openAside(String name) {
    return open(name, RTLD_NOW);
  }

  private String open(String name, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment library = (MemorySegment) dlopen.invokeExact(arena.allocateFrom(name), flags);
      if (library.address() != 0) {
        return "";
      }
      MemorySegment error = (MemorySegment) dlerror.invokeExact();
      return error.address() == 0 ? name + ": no reason given" : text(error);
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  /** The file that a function or variable was loaded from; empty if that is not known. */
  String fileOf(MemorySegment symbol) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment info = arena.allocate(DL_INFO_BYTES, ADDRESS.byteAlignment());
      boolean known = (int) dladdr.invokeExact(symbol, info) != 0;
      return known ? text(info.get(ADDRESS, 0)) : "";
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  @SuppressWarnings("restricted") // a C string of unknown length
  private static String text(MemorySegment address) {
    return address.reinterpret(Long.MAX_VALUE).getString(0);
  }
}
