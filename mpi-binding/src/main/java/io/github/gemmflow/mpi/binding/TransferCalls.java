// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi.binding;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;

/** The functions of an MPI library for types and messages; for the rest see {@link Calls}. */
final class TransferCalls extends Binder {
  TransferCalls(SymbolLookup library, Abi abi) {
    super(library, abi);
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
