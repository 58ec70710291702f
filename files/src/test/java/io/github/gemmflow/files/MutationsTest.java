// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import static io.github.gemmflow.files.Bytes.tensor;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.github.gemmflow.files.Mutations.Length;
import io.github.gemmflow.kit.Cases;
import io.github.gemmflow.matrix.Matrix;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * A damaged file is read or refused, never anything else, in less than a second of CPU time and
 * without allocating much more than its size. As many as one likes with {@code -Dgemmflow.cases}.
 */
class MutationsTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static final long SECOND = 1_000_000_000;

  private int read;
  private int refused;

  private interface Reading {
    /** Opens a file and reads what it holds. */
    void read(byte[] file);
  }

  @Test
  void aDamagedSafetensorsIsReadOrRefused() {
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
    checkDamaged(
        "safetensors", List.of(valid), List.of(Length.SAFETENSORS), MutationsTest::readAll);
  }

  @Test
  void aDamagedNpyIsReadOrRefused() {
    byte[] bf16 = Bytes.npy(npyHeader("<u2", "(8, 16)"), 256);
    byte[] f16 = Bytes.npy(2, Bytes.padded(npyHeader("<f2", "(160,)"), 2), 320);
    byte[] f32 = Bytes.npy(3, Bytes.padded(npyHeader("<f4", "(1, 16)"), 3), 64);
    checkDamaged(
        "npy",
        List.of(bf16, f16, f32),
        List.of(Length.NPY_1, Length.NPY_2, Length.NPY_2),
        MutationsTest::readNpy);
  }

  private static String npyHeader(String descr, String shape) {
    return "{'descr': '%s', 'fortran_order': False, 'shape': %s, }".formatted(descr, shape);
  }

  /** Damages each of the valid files in turn. */
  private void checkDamaged(
      String format, List<byte[]> valid, List<Length> lengths, Reading reading) {
    // What the JVM loads and links at first use is not counted.
    valid.forEach(reading::read);
    valid.forEach(file -> check(file, reading));
    assertEquals(valid.size(), read, "valid files were read");
    Cases.run(
        getClass(),
        10_000,
        seed -> {
          int which = (int) Math.floorMod(seed, (long) valid.size());
          check(Mutations.mutate(valid.get(which), lengths.get(which), seed), reading);
        });
    System.out.printf(
        "MutationsTest: %d %s were read, %d refused%n", read - valid.size(), format, refused);
  }

  private void check(byte[] file, Reading reading) {
    // Of this thread alone: on a busy machine it may have to wait for a core, and reading never
    // waits.
    long start = THREADS.getCurrentThreadCpuTime();
    long before = THREADS.getCurrentThreadAllocatedBytes();
    try {
      reading.read(file);
      read++;
    } catch (FileFormatException e) {
      refused++;
    }
    long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
    long nanos = THREADS.getCurrentThreadCpuTime() - start;
    assertTrue(nanos < SECOND, () -> "it took %d ms".formatted(nanos / 1_000_000));
    assertTrue(
        allocated < file.length + (1 << 20),
        () -> "%d bytes were allocated for %d".formatted(allocated, file.length));
  }

  private static void readNpy(byte[] bytes) {
    try (MatrixFile file = Bytes.openNpy(bytes)) {
      readRows(file.matrix());
    }
  }

  /** Reads every element that there is; only types and shapes without matrices may be refused. */
  private static void readAll(byte[] file) {
    try (SafeTensors tensors = Bytes.open(file)) {
      for (String name : tensors.names()) {
        Matrix matrix;
        try {
          matrix = tensors.tensor(name).matrix();
        } catch (IllegalArgumentException e) {
          assertTrue(e.toString().contains("matri"), e.toString());
          continue;
        }
        readRows(matrix);
      }
    }
  }

  private static void readRows(Matrix matrix) {
    for (long row = 0; row < matrix.rows() && matrix.columns() > 0; row++) {
      matrix.get(row, matrix.columns() - 1);
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
    assertTrue(allocated < 9L * file.length, () -> allocated + " for " + file.length);
  }
}
