// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import static java.nio.channels.FileChannel.MapMode.READ_ONLY;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.gemmflow.kernel.Activation;
import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.Product;
import io.github.gemmflow.kernel.ProductSpec;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Cases;
import io.github.gemmflow.kit.Draw;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.kit.KernelContract;
import io.github.gemmflow.kit.Reals;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OneDnnKernelTest extends KernelContract {
  private static final Kernel KERNEL = new OneDnnKernel();

  @Override
  protected Kernel kernel() {
    return KERNEL;
  }

  /** Numbers of inputs for which oneDNN by itself computes other bits in other heights. */
  @ParameterizedTest
  @EnumSource(value = DType.class, mode = EnumSource.Mode.EXCLUDE, names = "I8")
  void bitsDoNotDependOnTheHeight(DType type) {
    for (int inputs : new int[] {3, 17, 53, 300, 2048}) {
      for (int outputs : new int[] {131, 600}) {
        assertSameBits(1100, inputs, outputs, type, DType.F32, Activation.NONE);
      }
    }
  }

  @Test
  void bitsDoNotDependOnTheHeightInAnyShape() {
    Cases.run(
        getClass(),
        60,
        seed -> {
          Draw draw = new Draw(seed);
          DType type = draw.type();
          DType output = draw.oneOf(List.of(type, DType.F32));
          Activation activation = draw.oneOf(List.of(Activation.values()));
          int inputs = 1 + draw.below(1 << draw.below(12));
          int outputs = 1 + draw.below(1 << draw.below(11));
          assertSameBits(200, inputs, outputs, type, output, activation);
        });
  }

  private static void assertSameBits(
      int rows, int inputs, int outputs, DType type, DType output, Activation activation) {
    ProductSpec spec = new ProductSpec(output, Epilogue.of(activation), 1);
    try (Arena arena = Arena.ofShared()) {
      Matrix a = Reals.matrix(type, rows, inputs, 1, arena);
      Matrix b = Reals.matrix(type, inputs, outputs, 2, arena);
      Matrix whole = Matrix.allocate(output, rows, outputs, arena);
      Matrix cut = Matrix.allocate(output, rows, outputs, arena);
      try (PackedWeights weights = KERNEL.pack(b, WeightLayout.IN_OUT);
          Product product = KERNEL.product(weights, spec)) {
        product.multiply(0, a.block(new Block(), 0, rows), whole.block(new Block(), 0, rows), 0);
        for (int run : new int[] {1, 2, 5, 11, 33, 64, 130, 600}) {
          cut.fill(Float.NaN);
          for (int row = 0; row < rows; row += run) {
            int end = Math.min(rows, row + run);
            Block from = a.block(new Block(), row, end);
            product.multiply(0, from, cut.block(new Block(), row, end), 0);
          }
          assertEquals(
              -1,
              whole.memory().mismatch(cut.memory()),
              "%s -> %s, %s, %d inputs, %d outputs, runs of %d"
                  .formatted(type, output, activation, inputs, outputs, run));
        }
      }
    }
  }

  /** As a checkpoint has them: [out, in], somewhere in a file, at any offset. */
  @Test
  void weightsComeStraightFromAMappedFile(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("checkpoint");
    try (Arena arena = Arena.ofShared();
        FileChannel channel = FileChannel.open(file, CREATE, READ, WRITE)) {
      int offset = 1001;
      Matrix outIn = Exact.matrix(DType.BF16, 70, 40, 2, arena);
      channel.write(outIn.memory().asByteBuffer(), offset);
      MemorySegment mapped = channel.map(READ_ONLY, offset, outIn.memory().byteSize(), arena);
      Matrix a = Exact.matrix(DType.BF16, 9, 40, 1, arena);
      Matrix c = Matrix.allocate(DType.F32, 9, 70, arena);
      try (PackedWeights weights =
              KERNEL.pack(Matrix.wrap(mapped, DType.BF16, 70, 40), WeightLayout.OUT_IN);
          Product product = KERNEL.product(weights, new ProductSpec(DType.F32, Epilogue.NONE, 1))) {
        product.multiply(0, a.block(new Block(), 0, 9), c.block(new Block(), 0, 9), 0);
      }
      for (long row = 0; row < 9; row++) {
        for (long column = 0; column < 70; column++) {
          float sum = 0;
          for (long i = 0; i < 40; i++) {
            sum += a.get(row, i) * outIn.get(column, i);
          }
          assertEquals(sum, c.get(row, column));
        }
      }
    }
  }
}
