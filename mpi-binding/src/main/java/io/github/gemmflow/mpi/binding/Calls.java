// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi.binding;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;

/**
 * The functions of an MPI library that are used, one method each, after their C names. MPI's
 * handles are longs; what a function writes goes to memory of the caller. A function that does not
 * return {@code MPI_SUCCESS} throws.
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

  private final Function typeCreateHvector =
      bind("MPI_Type_create_hvector", JAVA_INT, JAVA_INT, JAVA_LONG, handle(), ADDRESS);

  void typeCreateHvector(int count, int length, long stride, long oldType, MemorySegment newType) {
    try {
      check(
          typeCreateHvector,
          (int) typeCreateHvector.handle().invokeExact(count, length, stride, oldType, newType));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function typeCommit = bind("MPI_Type_commit", ADDRESS);

  void typeCommit(MemorySegment type) {
    try {
      check(typeCommit, (int) typeCommit.handle().invokeExact(type));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function typeFree = bind("MPI_Type_free", ADDRESS);

  void typeFree(MemorySegment type) {
    try {
      check(typeFree, (int) typeFree.handle().invokeExact(type));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function isend =
      bind("MPI_Isend", ADDRESS, JAVA_INT, handle(), JAVA_INT, JAVA_INT, handle(), ADDRESS);

  void isend(
      MemorySegment buffer,
      int count,
      long type,
      int target,
      int tag,
      long comm,
      MemorySegment request) {
    try {
      check(
          isend, (int) isend.handle().invokeExact(buffer, count, type, target, tag, comm, request));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function issend =
      bind("MPI_Issend", ADDRESS, JAVA_INT, handle(), JAVA_INT, JAVA_INT, handle(), ADDRESS);

  void issend(
      MemorySegment buffer,
      int count,
      long type,
      int target,
      int tag,
      long comm,
      MemorySegment request) {
    try {
      check(
          issend,
          (int) issend.handle().invokeExact(buffer, count, type, target, tag, comm, request));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function irecv =
      bind("MPI_Irecv", ADDRESS, JAVA_INT, handle(), JAVA_INT, JAVA_INT, handle(), ADDRESS);

  void irecv(
      MemorySegment buffer,
      int count,
      long type,
      int source,
      int tag,
      long comm,
      MemorySegment request) {
    try {
      check(
          irecv, (int) irecv.handle().invokeExact(buffer, count, type, source, tag, comm, request));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function testsome =
      bind("MPI_Testsome", JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS);

  /** Returns the code: whether that is an error is for the statuses to say. */
  int testsome(
      int count,
      MemorySegment requests,
      MemorySegment doneCount,
      MemorySegment indices,
      MemorySegment statuses) {
    try {
      return (int) testsome.handle().invokeExact(count, requests, doneCount, indices, statuses);
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function cancel = bind("MPI_Cancel", ADDRESS);

  void cancel(MemorySegment request) {
    try {
      check(cancel, (int) cancel.handle().invokeExact(request));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function test = bind("MPI_Test", ADDRESS, ADDRESS, ADDRESS);

  /** Returns the code: a request that has failed is over, too. */
  int test(MemorySegment request, MemorySegment flag, MemorySegment status) {
    try {
      return (int) test.handle().invokeExact(request, flag, status);
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function getCount = bind("MPI_Get_count", ADDRESS, handle(), ADDRESS);

  void getCount(MemorySegment status, long type, MemorySegment count) {
    try {
      check(getCount, (int) getCount.handle().invokeExact(status, type, count));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function iallgather =
      bind(
          "MPI_Iallgather",
          ADDRESS,
          JAVA_INT,
          handle(),
          ADDRESS,
          JAVA_INT,
          handle(),
          handle(),
          ADDRESS);

  void iallgather(
      MemorySegment mine,
      int count,
      long type,
      MemorySegment all,
      int countOfEach,
      long typeOfEach,
      long comm,
      MemorySegment request) {
    try {
      check(
          iallgather,
          (int)
              iallgather
                  .handle()
                  .invokeExact(mine, count, type, all, countOfEach, typeOfEach, comm, request));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function iallgatherv =
      bind(
          "MPI_Iallgatherv",
          ADDRESS,
          JAVA_INT,
          handle(),
          ADDRESS,
          ADDRESS,
          ADDRESS,
          handle(),
          handle(),
          ADDRESS);

  void iallgatherv(
      MemorySegment mine,
      int count,
      long type,
      MemorySegment all,
      MemorySegment counts,
      MemorySegment offsets,
      long typeOfEach,
      long comm,
      MemorySegment request) {
    try {
      check(
          iallgatherv,
          (int)
              iallgatherv
                  .handle()
                  .invokeExact(mine, count, type, all, counts, offsets, typeOfEach, comm, request));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }
}
