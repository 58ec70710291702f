// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * The functions of an MPI library, under their C names, with handles as longs. No call is {@code
 * critical}: any of them may take its time or call back.
 */
record Calls(
    MethodHandle initThread,
    MethodHandle queryThread,
    MethodHandle initialized,
    MethodHandle finalized,
    MethodHandle finish,
    MethodHandle abort,
    MethodHandle getLibraryVersion,
    MethodHandle errorString,
    MethodHandle errorClass,
    MethodHandle commRank,
    MethodHandle commSize,
    MethodHandle commDup,
    MethodHandle commSplit,
    MethodHandle commFree,
    MethodHandle commSetErrhandler,
    MethodHandle typeCreateHvector,
    MethodHandle typeCommit,
    MethodHandle typeFree,
    MethodHandle isend,
    MethodHandle issend,
    MethodHandle irecv,
    MethodHandle testsome,
    MethodHandle cancel,
    MethodHandle test,
    MethodHandle getCount,
    MethodHandle iallgather,
    MethodHandle iallgatherv) {

  /** Binds all functions of a library. */
  static Calls bind(SymbolLookup library, Abi abi) {
    Binder b = new Binder(library);
    MemoryLayout handle = abi.handle();
    return new Calls(
        b.call("MPI_Init_thread", ADDRESS, ADDRESS, JAVA_INT, ADDRESS),
        b.call("MPI_Query_thread", ADDRESS),
        b.call("MPI_Initialized", ADDRESS),
        b.call("MPI_Finalized", ADDRESS),
        b.call("MPI_Finalize"),
        b.call("MPI_Abort", handle, JAVA_INT),
        b.call("MPI_Get_library_version", ADDRESS, ADDRESS),
        b.call("MPI_Error_string", JAVA_INT, ADDRESS, ADDRESS),
        b.call("MPI_Error_class", JAVA_INT, ADDRESS),
        b.call("MPI_Comm_rank", handle, ADDRESS),
        b.call("MPI_Comm_size", handle, ADDRESS),
        b.call("MPI_Comm_dup", handle, ADDRESS),
        b.call("MPI_Comm_split", handle, JAVA_INT, JAVA_INT, ADDRESS),
        b.call("MPI_Comm_free", ADDRESS),
        b.call("MPI_Comm_set_errhandler", handle, handle),
        b.call("MPI_Type_create_hvector", JAVA_INT, JAVA_INT, JAVA_LONG, handle, ADDRESS),
        b.call("MPI_Type_commit", ADDRESS),
        b.call("MPI_Type_free", ADDRESS),
        b.call("MPI_Isend", ADDRESS, JAVA_INT, handle, JAVA_INT, JAVA_INT, handle, ADDRESS),
        b.call("MPI_Issend", ADDRESS, JAVA_INT, handle, JAVA_INT, JAVA_INT, handle, ADDRESS),
        b.call("MPI_Irecv", ADDRESS, JAVA_INT, handle, JAVA_INT, JAVA_INT, handle, ADDRESS),
        b.call("MPI_Testsome", JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS),
        b.call("MPI_Cancel", ADDRESS),
        b.call("MPI_Test", ADDRESS, ADDRESS, ADDRESS),
        b.call("MPI_Get_count", ADDRESS, handle, ADDRESS),
        b.call(
            "MPI_Iallgather",
            ADDRESS,
            JAVA_INT,
            handle,
            ADDRESS,
            JAVA_INT,
            handle,
            handle,
            ADDRESS),
        b.call(
            "MPI_Iallgatherv",
            ADDRESS,
            JAVA_INT,
            handle,
            ADDRESS,
            ADDRESS,
            ADDRESS,
            handle,
            handle,
            ADDRESS));
  }

  private record Binder(SymbolLookup library) {
    @SuppressWarnings("restricted") // the native calls that this module is for
    MethodHandle call(String name, MemoryLayout... parameters) {
      MemorySegment address =
          library
              .find(name)
              .orElseThrow(() -> new MpiException("the MPI library has no function " + name));
      MethodHandle raw =
          Linker.nativeLinker()
              .downcallHandle(address, FunctionDescriptor.of(JAVA_INT, parameters));
      return widenHandles(raw, parameters);
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
  }
}
