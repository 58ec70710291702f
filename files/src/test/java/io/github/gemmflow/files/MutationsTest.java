// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import static io.github.gemmflow.files.Bytes.tensor;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.github.gemmflow.kit.Cases;
import io.github.gemmflow.matrix.Matrix;
import java.lang.management.ManagementFactory;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * A damaged file is read or refused, never anything else, in less than a second and without
 * allocating much more than its size. As many as one likes with {@code -Dgemmflow.cases}.
 */
class MutationsTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static final long SECOND = 1_000_000_000;

  private int read;
  private int refused;

  @Test
  void aDamagedFileIsReadOrRefused() {
    byte[] valid =
        Bytes.file(
            "{\"__metadata__\":{\"format\":\"pt\",\"\\u00fc\":\"\u00fc\"},%s,%s,%s,%s,%s}  "
                .formatted(
                    tensor("model.weight", "BF16", "[8,16]", 0, 256),
                    tensor("model.norm \u00fc", "F32", "[16]", 256, 320),
                    tensor("empty", "F16", "[0,4]", 320, 320),
                    tensor("scalar", "F32", "[]", 320, 324),
                    tensor("ids", "I64", "[2]", 324, 340)),
            340);
    try (SafeTensors tensors = Bytes.open(valid)) {
      readAll(tensors);
    }
    Cases.run(
        getClass(),
        10_000,
        seed -> {
          byte[] file = Mutations.mutate(valid, seed);
          long start = System.nanoTime();
          long before = THREADS.getCurrentThreadAllocatedBytes();
          tryToRead(file);
          long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
          long nanos = System.nanoTime() - start;
          assertTrue(nanos < SECOND, "it took %d ms".formatted(nanos / 1_000_000));
          assertTrue(
              allocated < file.length + (1 << 20),
              "%d bytes were allocated for %d".formatted(allocated, file.length));
        });
    System.out.printf("MutationsTest: %d were read, %d refused%n", read, refused);
  }

  private void tryToRead(byte[] file) {
    try (SafeTensors tensors = Bytes.open(file)) {
      readAll(tensors);
      read++;
    } catch (FileFormatException e) {
      refused++;
    }
  }

  /** Reads every element that there is; only types and shapes without matrices may be refused. */
  private static void readAll(SafeTensors tensors) {
    for (String name : tensors.names()) {
      Matrix matrix;
      try {
        matrix = tensors.tensor(name).matrix();
      } catch (IllegalArgumentException e) {
        assertTrue(e.toString().contains("matri"), e.toString());
        continue;
      }
      for (long row = 0; row < matrix.rows() && matrix.columns() > 0; row++) {
        matrix.get(row, matrix.columns() - 1);
      }
    }
  }

  /** Hardly more than descriptions: what is kept of one is some objects, and no more than that. */
  @Test
  void whatIsAllocatedIsInProportionToTheHeader() {
    int count = 20_000;
    String header =
        IntStream.range(0, count)
            .mapToObj(i -> tensor("%x".formatted(i), "U8", "[1,1]", i, i + 1))
            .collect(Collectors.joining(",", "{", "}"));
    byte[] file = Bytes.file(header, count);
    Bytes.open(file).close();
    long before = THREADS.getCurrentThreadAllocatedBytes();
    Bytes.open(file).close();
    long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
    System.out.printf(
        "MutationsTest: %d bytes were allocated for %d tensors in %d bytes%n",
        allocated, count, file.length);
    assertTrue(allocated < 16L * file.length, () -> allocated + " for " + file.length);
  }
}
