// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi.binding;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.AddressLayout;
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

  /** Where {@code MPI_TAG_UB} is: MPI writes the address of an int. */
  @SuppressWarnings("restricted")
  private static final AddressLayout TAG = ADDRESS.withTargetLayout(JAVA_INT);

  private static @Nullable NativeMpi instance;

  private final Library library;
  private final Abi abi;
  private final Abi.Handles handles;
  private final Calls calls;
  private final MemorySegment out = Arena.global().allocate(2 * Long.BYTES, Long.BYTES);

  private NativeMpi(Library library) {
    this.library = library;
    this.abi = library.abi();
    this.handles = abi.handles(library.symbols());
    this.calls = new Calls(library.symbols(), abi);
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
      calls.getLibraryVersion(text, out);
      return text.getString(0, UTF_8).lines().limit(1).findFirst().orElse("").strip();
    }
  }

  @Override
  public boolean isInitialized() {
    calls.initialized(out);
    return out.get(JAVA_INT, 0) != 0;
  }

  @Override
  public boolean isFinalized() {
    calls.finalized(out);
    return out.get(JAVA_INT, 0) != 0;
  }

  @Override
  public ThreadLevel init(ThreadLevel wanted) {
    calls.initThread(MemorySegment.NULL, MemorySegment.NULL, THREAD_LEVELS.indexOf(wanted), out);
    ThreadLevel granted = THREAD_LEVELS.get(out.get(JAVA_INT, 0));
    settle();
    return granted;
  }

  @Override
  public ThreadLevel attach() {
    calls.queryThread(out);
    ThreadLevel granted = THREAD_LEVELS.get(out.get(JAVA_INT, 0));
    settle();
    return granted;
  }

  private void settle() {
    returnErrors(world());
    returnErrors(handles.commSelf());
    int rank = rank(world());
    calls.setWorldRank(rank);
  }

  private void returnErrors(long comm) {
    calls.commSetErrhandler(comm, handles.errorsReturn());
  }

  @Override
  public void finish() {
    calls.finish();
  }

  @Override
  public void abort(int code) {
    calls.abort(world(), code);
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
    calls.commRank(comm, out);
    return out.get(JAVA_INT, 0);
  }

  @Override
  public int size(long comm) {
    calls.commSize(comm, out);
    return out.get(JAVA_INT, 0);
  }

  /** A value that is always there: MPI_COMM_WORLD has this attribute from the start. */
  @Override
  public int mostTag() {
    calls.commGetAttr(world(), abi.numbers().tagUpperBound(), out, out.asSlice(Long.BYTES));
    return out.get(TAG, 0).get(JAVA_INT, 0);
  }

  @Override
  public long duplicate(long comm) {
    calls.commDup(comm, out);
    return newComm();
  }

  @Override
  public long split(long comm, int color, int key) {
    calls.commSplit(comm, color, key, out);
    return newComm();
  }

  private long newComm() {
    long comm = handle(out, 0);
    returnErrors(comm);
    return comm;
  }

  @Override
  public void free(long comm) {
    setHandle(out, 0, comm);
    calls.commFree(out);
  }

  @Override
  public long stridedType(int rows, int rowBytes, long stride) {
    calls.typeCreateHvector(rows, rowBytes, stride, handles.typeByte(), out);
    calls.typeCommit(out);
    return handle(out, 0);
  }

  @Override
  public void freeType(long type) {
    setHandle(out, 0, type);
    calls.typeFree(out);
  }

  @Override
  public long isend(MemorySegment buffer, int count, long type, int target, int tag, long comm) {
    calls.isend(buffer, count, type, target, tag, comm, out);
    return handle(out, 0);
  }

  @Override
  public long issend(MemorySegment buffer, int count, long type, int target, int tag, long comm) {
    calls.issend(buffer, count, type, target, tag, comm, out);
    return handle(out, 0);
  }

  @Override
  public long irecv(MemorySegment buffer, int count, long type, int source, int tag, long comm) {
    calls.irecv(buffer, count, type, source, tag, comm, out);
    return handle(out, 0);
  }

  @Override
  public long iallgather(MemorySegment mine, int bytes, MemorySegment all, long comm) {
    long type = handles.typeByte();
    calls.iallgather(mine, bytes, type, all, bytes, type, comm, out);
    return handle(out, 0);
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
    calls.iallgatherv(mine, bytes, type, all, counts, offsets, type, comm, out);
    return handle(out, 0);
  }

  /** Cancels a request; returns whether it is over. One that has failed meanwhile is. */
  boolean cancel(long request) {
    MemorySegment flag = out.asSlice(Long.BYTES, Integer.BYTES);
    setHandle(out, 0, request);
    MemorySegment ignoreStatus = MemorySegment.ofAddress(abi.numbers().statusIgnore());
    calls.cancel(out);
    int code = calls.test(out, flag, ignoreStatus);
    return code != 0 || flag.get(JAVA_INT, 0) != 0;
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
}
