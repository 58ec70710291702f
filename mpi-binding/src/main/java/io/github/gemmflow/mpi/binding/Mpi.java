// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi.binding;

import java.lang.foreign.MemorySegment;

/**
 * The part of MPI that non-blocking programs need, with the meaning that the MPI standard gives to
 * each call. Communicators, types and requests are handles, which are longs here. Every error is an
 * {@link MpiException}; communicators made here return errors instead of ending the job.
 *
 * <p>Buffers must be native memory. The same thread makes all calls, from {@link #init} to {@link
 * #finish}.
 */
public interface Mpi {
  /** How many threads call MPI, in the words of the standard. */
  enum ThreadLevel {
    SINGLE,
    FUNNELED,
    SERIALIZED,
    MULTIPLE
  }

  /**
   * Loads the library that {@code -Dgemmflow.mpi.library} names, or else the first that is found,
   * beginning with that of the launcher. MPI is not initialised by this.
   *
   * @throws MpiException with every place that was looked in
   */
  static Mpi load() {
    return NativeMpi.instance();
  }

  /** The family of the library: {@code Open MPI} or {@code MPICH}. */
  String family();

  /** What the library was loaded as. */
  String library();

  /** What the library says of itself, in one line. */
  String version();

  boolean isInitialized();

  boolean isFinalized();

  /** {@code MPI_Init_thread}. Collective over the job. Returns the level that was granted. */
  ThreadLevel init(ThreadLevel wanted);

  /**
   * Takes part in an MPI that other code of this process has initialised: from now on {@code
   * MPI_COMM_WORLD} returns errors, too.
   *
   * @return the level that was granted then ({@code MPI_Query_thread})
   */
  ThreadLevel attach();

  /** {@code MPI_Finalize}. Collective over the job. */
  void finish();

  /** {@code MPI_Abort} on all processes of the job. */
  void abort(int code);

  /** {@code MPI_COMM_WORLD}. */
  long world();

  /** {@code MPI_BYTE}. */
  long byteType();

  int rank(long comm);

  int size(long comm);

  /** {@code MPI_TAG_UB}, the highest tag of a message. */
  int mostTag();

  /** {@code MPI_Comm_dup}. Collective over the communicator; blocks. */
  long duplicate(long comm);

  /**
   * {@code MPI_Comm_split}. Collective over the communicator; blocks.
   *
   * @param key ranks are in the order of their keys
   */
  long split(long comm, int color, int key);

  /** {@code MPI_Comm_free}. Collective over the communicator. */
  void free(long comm);

  /**
   * {@code MPI_Type_create_hvector} of bytes, committed.
   *
   * @param stride bytes from the start of one row to the start of the next
   */
  long stridedType(int rows, int rowBytes, long stride);

  /** {@code MPI_Type_free}. Transfers under way are not affected. */
  void freeType(long type);

  /** {@code MPI_Isend}; returns the request. */
  long isend(MemorySegment buffer, int count, long type, int target, int tag, long comm);

  /** {@code MPI_Issend}; returns the request. */
  long issend(MemorySegment buffer, int count, long type, int target, int tag, long comm);

  /** {@code MPI_Irecv}; returns the request. */
  long irecv(MemorySegment buffer, int count, long type, int source, int tag, long comm);

  /** {@code MPI_Iallgather} of the same number of bytes from each rank; returns the request. */
  long iallgather(MemorySegment mine, int bytes, MemorySegment all, long comm);

  /**
   * {@code MPI_Iallgatherv} of bytes; returns the request.
   *
   * @param counts an int for each rank: its bytes; alive until the request is done
   * @param offsets an int for each rank: where its bytes go; alive until the request is done
   */
  long iallgatherv(
      MemorySegment mine,
      int bytes,
      MemorySegment all,
      MemorySegment counts,
      MemorySegment offsets,
      long comm);

  /** Requests that are tested together. */
  Requests newRequests();
}
