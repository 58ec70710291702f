// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi.binding;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;

/**
 * The functions of an MPI library for processes and communicators, one method each, after their C
 * names. MPI's handles are longs; what a function writes goes to memory of the caller. A function
 * that does not return {@code MPI_SUCCESS} throws.
 */
final class Calls extends Binder {
  Calls(SymbolLookup library, Abi abi) {
    super(library, abi);
  }

  private final Function getLibraryVersion = bind("MPI_Get_library_version", ADDRESS, ADDRESS);

  void getLibraryVersion(MemorySegment text, MemorySegment length) {
    try {
      check(getLibraryVersion, (int) getLibraryVersion.handle().invokeExact(text, length));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function initialized = bind("MPI_Initialized", ADDRESS);

  void initialized(MemorySegment flag) {
    try {
      check(initialized, (int) initialized.handle().invokeExact(flag));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function finalized = bind("MPI_Finalized", ADDRESS);

  void finalized(MemorySegment flag) {
    try {
      check(finalized, (int) finalized.handle().invokeExact(flag));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function initThread = bind("MPI_Init_thread", ADDRESS, ADDRESS, JAVA_INT, ADDRESS);

  void initThread(
      MemorySegment argumentCount, MemorySegment arguments, int required, MemorySegment provided) {
    try {
      check(
          initThread,
          (int) initThread.handle().invokeExact(argumentCount, arguments, required, provided));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function queryThread = bind("MPI_Query_thread", ADDRESS);

  void queryThread(MemorySegment provided) {
    try {
      check(queryThread, (int) queryThread.handle().invokeExact(provided));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function finish = bind("MPI_Finalize");

  void finish() {
    try {
      check(finish, (int) finish.handle().invokeExact());
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function abort = bind("MPI_Abort", handle(), JAVA_INT);

  void abort(long comm, int code) {
    try {
      check(abort, (int) abort.handle().invokeExact(comm, code));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function commRank = bind("MPI_Comm_rank", handle(), ADDRESS);

  void commRank(long comm, MemorySegment rank) {
    try {
      check(commRank, (int) commRank.handle().invokeExact(comm, rank));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function commSize = bind("MPI_Comm_size", handle(), ADDRESS);

  void commSize(long comm, MemorySegment size) {
    try {
      check(commSize, (int) commSize.handle().invokeExact(comm, size));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function commGetAttr =
      bind("MPI_Comm_get_attr", handle(), JAVA_INT, ADDRESS, ADDRESS);

  void commGetAttr(long comm, int key, MemorySegment value, MemorySegment found) {
    try {
      check(commGetAttr, (int) commGetAttr.handle().invokeExact(comm, key, value, found));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function commDup = bind("MPI_Comm_dup", handle(), ADDRESS);

  void commDup(long comm, MemorySegment newComm) {
    try {
      check(commDup, (int) commDup.handle().invokeExact(comm, newComm));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function commSplit = bind("MPI_Comm_split", handle(), JAVA_INT, JAVA_INT, ADDRESS);

  void commSplit(long comm, int color, int key, MemorySegment newComm) {
    try {
      check(commSplit, (int) commSplit.handle().invokeExact(comm, color, key, newComm));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function commFree = bind("MPI_Comm_free", ADDRESS);

  void commFree(MemorySegment comm) {
    try {
      check(commFree, (int) commFree.handle().invokeExact(comm));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function commSetErrhandler = bind("MPI_Comm_set_errhandler", handle(), handle());

  void commSetErrhandler(long comm, long handler) {
    try {
      check(commSetErrhandler, (int) commSetErrhandler.handle().invokeExact(comm, handler));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }
}
