// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.data;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.gemmflow.Group;
import io.github.gemmflow.cli.job.AgreedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Task that may fail on one rank, done so that all ranks fail or none does. All calls are
 * collective.
 */
final class CollectiveTask {
  /** What a rank does. */
  @FunctionalInterface
  interface Task {
    void run() throws IOException;
  }

  /** What a rank opens. */
  @FunctionalInterface
  interface Opener<T> {
    T open() throws IOException;
  }

  private final Group group;

  CollectiveTask(Group group) {
    this.group = group;
  }

  /**
   * Does it on every rank.
   *
   * @throws AgreedException on all ranks, if one cannot
   */
  void run(Task task) {
    String problem = "";
    try {
      task.run();
    } catch (IOException | IllegalArgumentException e) {
      problem = e.getMessage() == null ? e.toString() : e.getMessage();
    }
    check(problem);
  }

  /**
   * Opens something on every rank; closes it again if another rank cannot open its own.
   *
   * @throws AgreedException on all ranks, if one cannot
   */
  <T extends AutoCloseable> T open(Opener<T> opener) throws IOException {
    Opened<T> opened = new Opened<>();
    run(() -> opened.value = opener.open(), opened);
    return opened.get();
  }

  private void run(Task task, Opened<?> opened) throws IOException {
    try {
      run(task);
    } catch (RuntimeException | Error e) {
      opened.close();
      throw e;
    }
  }

  private void check(String problem) {
    for (byte[] theirs : group.allGather(problem.getBytes(UTF_8))) {
      if (theirs.length > 0) {
        throw new AgreedException(new String(theirs, UTF_8));
      }
    }
  }

  /** Tells all ranks some numbers; returns what each rank told. */
  List<long[]> tell(long... numbers) {
    ByteBuffer mine = ByteBuffer.allocate(numbers.length * Long.BYTES);
    mine.asLongBuffer().put(numbers);
    List<long[]> all = new ArrayList<>();
    for (byte[] bytes : group.allGather(mine.array())) {
      long[] theirs = new long[numbers.length];
      ByteBuffer.wrap(bytes).asLongBuffer().get(theirs);
      all.add(theirs);
    }
    return all;
  }

  /** What this rank has opened, if it has. */
  private static final class Opened<T extends AutoCloseable> {
    private @Nullable T value;

    T get() {
      if (value == null) {
        throw new IllegalStateException("nothing was opened");
      }
      return value;
    }

    void close() throws IOException {
      try {
        if (value != null) {
          value.close();
        }
      } catch (IOException | RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IOException(e);
      }
    }
  }
}
