// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@link Mpi} on a native library. There is one per process, as there is one MPI per process. */
final class NativeMpi implements Mpi {
  /** In the order of their numbers in {@code mpi.h}, which are 0 to 3 in both families. */
  private static final List<ThreadLevel> THREAD_LEVELS =
      List.of(
          ThreadLevel.SINGLE, ThreadLevel.FUNNELED, ThreadLevel.SERIALIZED, ThreadLevel.MULTIPLE);

  private static @Nullable NativeMpi instance;

  private final Library library;
  private final Abi abi;
  private final Abi.Handles handles;
  private final Calls calls;
  private final MemorySegment out = Arena.global().allocate(2 * Long.BYTES, Long.BYTES);
  private int worldRank = -1;

  private NativeMpi(Library library) {
    this.library = library;
    this.abi = library.abi();
    this.handles = abi.handles(library.symbols());
    this.calls = Calls.bind(library.symbols(), abi);
  }

  /** The one of this process; loads the library, if that has not been done. */
  static synchronized NativeMpi instance() {
    if (instance == null) {
      instance = new NativeMpi(Library.load(Library.forced(), System.getenv()));
    }
    return instance;
  }

  Abi abi() {
    return abi;
  }

  Abi.Handles handles() {
    return handles;
  }

  Calls calls() {
    return calls;
  }

  @Override
  public String family() {
    return abi.family();
  }

  @Override
  public String library() {
    return library.name();
  }

  @Override
  public String version() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(abi.numbers().maxLibraryVersionString());
      check("MPI_Get_library_version", (int) calls.getLibraryVersion().invokeExact(text, out));
      return text.getString(0, UTF_8).lines().limit(1).findFirst().orElse("").strip();
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  @Override
  public boolean isInitialized() {
    try {
      check("MPI_Initialized", (int) calls.initialized().invokeExact(out));
      return out.get(JAVA_INT, 0) != 0;
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  @Override
  public boolean isFinalized() {
    try {
      check("MPI_Finalized", (int) calls.finalized().invokeExact(out));
      return out.get(JAVA_INT, 0) != 0;
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  @Override
  public ThreadLevel init(ThreadLevel wanted) {
    try {
      check(
          "MPI_Init_thread",
          (int)
              calls
                  .initThread()
                  .invokeExact(
                      MemorySegment.NULL, MemorySegment.NULL, THREAD_LEVELS.indexOf(wanted), out));
      ThreadLevel granted = THREAD_LEVELS.get(out.get(JAVA_INT, 0));
      settle();
      return granted;
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  @Override
  public ThreadLevel attach() {
    try {
      check("MPI_Query_thread", (int) calls.queryThread().invokeExact(out));
      ThreadLevel granted = THREAD_LEVELS.get(out.get(JAVA_INT, 0));
      settle();
      return granted;
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private void settle() {
    returnErrors(world());
    returnErrors(handles.commSelf());
    worldRank = rank(world());
  }

  private void returnErrors(long comm) {
    try {
      check(
          "MPI_Comm_set_errhandler",
          (int) calls.commSetErrhandler().invokeExact(comm, handles.errorsReturn()));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  @Override
  public void finish() {
    try {
      check("MPI_Finalize", (int) calls.finish().invokeExact());
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  @Override
  public void abort(int code) {
    try {
      check("MPI_Abort", (int) calls.abort().invokeExact(world(), code));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  @Override
  public long world() {
    return handles.commWorld();
  }

  @Override
  public long byteType() {
    return handles.typeByte();
  }

  @Override
  public int rank(long comm) {
    try {
      check("MPI_Comm_rank", (int) calls.commRank().invokeExact(comm, out));
      return out.get(JAVA_INT, 0);
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  @Override
  public int size(long comm) {
    try {
      check("MPI_Comm_size", (int) calls.commSize().invokeExact(comm, out));
      return out.get(JAVA_INT, 0);
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  @Override
  public long duplicate(long comm) {
    try {
      check("MPI_Comm_dup", (int) calls.commDup().invokeExact(comm, out));
      return newComm();
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  @Override
  public long split(long comm, int color, int key) {
    try {
      check("MPI_Comm_split", (int) calls.commSplit().invokeExact(comm, color, key, out));
      return newComm();
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private long newComm() {
    long comm = handle(out, 0);
    returnErrors(comm);
    return comm;
  }

  @Override
  public void free(long comm) {
    setHandle(out, 0, comm);
    try {
      check("MPI_Comm_free", (int) calls.commFree().invokeExact(out));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  @Override
  public long stridedType(int rows, int rowBytes, long stride) {
    try {
      check(
          "MPI_Type_create_hvector",
          (int)
              calls
                  .typeCreateHvector()
                  .invokeExact(rows, rowBytes, stride, handles.typeByte(), out));
      check("MPI_Type_commit", (int) calls.typeCommit().invokeExact(out));
      return handle(out, 0);
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  @Override
  public void freeType(long type) {
    setHandle(out, 0, type);
    try {
      check("MPI_Type_free", (int) calls.typeFree().invokeExact(out));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  @Override
  public long isend(MemorySegment buffer, int count, long type, int target, int tag, long comm) {
    try {
      check(
          "MPI_Isend",
          (int) calls.isend().invokeExact(buffer, count, type, target, tag, comm, out));
      return handle(out, 0);
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  @Override
  public long issend(MemorySegment buffer, int count, long type, int target, int tag, long comm) {
    try {
      check(
          "MPI_Issend",
          (int) calls.issend().invokeExact(buffer, count, type, target, tag, comm, out));
      return handle(out, 0);
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  @Override
  public long irecv(MemorySegment buffer, int count, long type, int source, int tag, long comm) {
    try {
      check(
          "MPI_Irecv",
          (int) calls.irecv().invokeExact(buffer, count, type, source, tag, comm, out));
      return handle(out, 0);
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  @Override
  public long iallgather(MemorySegment mine, int bytes, MemorySegment all, long comm) {
    long type = handles.typeByte();
    try {
      check(
          "MPI_Iallgather",
          (int) calls.iallgather().invokeExact(mine, bytes, type, all, bytes, type, comm, out));
      return handle(out, 0);
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  @Override
  public long iallgatherv(
      MemorySegment mine,
      int bytes,
      MemorySegment all,
      MemorySegment counts,
      MemorySegment offsets,
      long comm) {
    long type = handles.typeByte();
    try {
      check(
          "MPI_Iallgatherv",
          (int)
              calls
                  .iallgatherv()
                  .invokeExact(mine, bytes, type, all, counts, offsets, type, comm, out));
      return handle(out, 0);
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  /** Cancels a request; returns whether it is over. One that has failed meanwhile is. */
  boolean cancel(long request) {
    MemorySegment flag = out.asSlice(Long.BYTES, Integer.BYTES);
    setHandle(out, 0, request);
    MemorySegment ignoreStatus = MemorySegment.ofAddress(abi.numbers().statusIgnore());
    try {
      check("MPI_Cancel", (int) calls.cancel().invokeExact(out));
      int code = (int) calls.test().invokeExact(out, flag, ignoreStatus);
      return code != 0 || flag.get(JAVA_INT, 0) != 0;
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  @Override
  public Requests newRequests() {
    return new NativeRequests(this);
  }

  /** A handle in memory that MPI wrote. */
  long handle(MemorySegment memory, long index) {
    return abi.handleBytes() == Long.BYTES
        ? memory.getAtIndex(JAVA_LONG, index)
        : memory.getAtIndex(JAVA_INT, index);
  }

  void setHandle(MemorySegment memory, long index, long handle) {
    if (abi.handleBytes() == Long.BYTES) {
      memory.setAtIndex(JAVA_LONG, index, handle);
    } else {
      memory.setAtIndex(JAVA_INT, index, (int) handle);
    }
  }

  /** Throws if a call did not return {@code MPI_SUCCESS}. */
  void check(String call, int code) {
    if (code != 0) {
      throw error(call, code);
    }
  }

  MpiException error(String call, int code) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(abi.numbers().maxErrorString());
      int _ = (int) calls.errorString().invokeExact(code, text, arena.allocate(JAVA_INT));
      String words = text.getString(0, UTF_8);
      return new MpiException(call, code, errorClass(code), words, worldRank);
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  int errorClass(int code) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocate(JAVA_INT);
      int failed = (int) calls.errorClass().invokeExact(code, number);
      return failed == 0 ? number.get(JAVA_INT, 0) : 0;
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }
}
