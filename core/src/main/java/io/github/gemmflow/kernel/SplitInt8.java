// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kernel;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Floats;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.RowFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Weights in int8 with more inputs than an int32 can add up, cut into slices of inputs. The
 * products of the slices are added in F32, in their order.
 */
final class SplitInt8 extends PackedWeights {
  private static final long SLICE = Int8Columns.MOST_INPUTS;
  private static final int ROWS = 16;
  private static final long ALIGNMENT = 64;

  private final List<PackedWeights> slices = new ArrayList<>();

  SplitInt8(Kernel kernel, Int8Columns source) {
    super(kernel, DType.I8, source.layout(), source.inputs(), source.outputs());
    try (Arena arena = Arena.ofConfined()) {
      Matrix whole = Matrix.allocate(DType.I8, inputs(), outputs(), arena);
      Matrix scales = Matrix.allocate(DType.F32, 1, outputs(), arena);
      source.readAll(whole, scales);
      for (long first = 0; first < inputs(); first += SLICE) {
        Matrix slice = whole.rows(first, Math.min(inputs(), first + SLICE));
        slices.add(kernel.pack(Int8Columns.of(slice, scales, WeightLayout.IN_OUT)));
      }
    } catch (RuntimeException | Error e) {
      free();
      throw e;
    }
  }

  @Override
  public Product product(ProductSpec spec) {
    return new SplitProduct(spec);
  }

  @Override
  protected void free() {
    slices.forEach(PackedWeights::close);
  }

  private final class SplitProduct implements Product {
    private final DType output;
    private final Epilogue epilogue;
    private final RowFormat format = new RowFormat(DType.I8, inputs());
    private final List<Product> products = new ArrayList<>();
    private final Arena arena = Arena.ofShared();
    private final Lane[] lanes;

    SplitProduct(ProductSpec spec) {
      this.output = spec.output();
      this.epilogue = spec.epilogue();
      this.lanes = new Lane[spec.threads()];
      try {
        for (PackedWeights slice : slices) {
          products.add(slice.product(new ProductSpec(DType.F32, Epilogue.NONE, spec.threads())));
        }
        for (int thread = 0; thread < lanes.length; thread++) {
          lanes[thread] = new Lane();
        }
      } catch (RuntimeException | Error e) {
        close();
        throw e;
      }
    }

    @Override
    public int columnGranularity() {
      return products.getFirst().columnGranularity();
    }

    @Override
    public int worthwhileRows() {
      return products.getFirst().worthwhileRows();
    }

    @Override
    public void multiply(int thread, Block a, Block c, long firstColumn) {
      for (long row = 0; row < a.rows() && c.rowBytes() > 0; row += ROWS) {
        lanes[thread].run(thread, a, c, row, Math.min(ROWS, a.rows() - row), firstColumn);
      }
    }

    @Override
    public void close() {
      products.forEach(Product::close);
      arena.close();
    }

    /** What one thread has for itself. */
    private final class Lane {
      private final int outputs = Math.toIntExact(outputs());
      private final long sliceBytes = new RowFormat(DType.I8, SLICE).bytes();
      private final long partBytes = (long) outputs * Float.BYTES;
      private final MemorySegment rows = arena.allocate(ROWS * sliceBytes, ALIGNMENT);
      private final MemorySegment part = arena.allocate(ROWS * partBytes, ALIGNMENT);
      private final float[][] sums = new float[ROWS][outputs];
      private final float[] next = new float[outputs];
      private final Floats floats = new Floats(outputs);
      private final Block aSlice = new Block();
      private final Block cPart = new Block();

      void run(int thread, Block a, Block c, long first, long count, long firstColumn) {
        int width = Math.toIntExact(c.rowBytes() / output.bytes());
        for (int slice = 0; slice < products.size(); slice++) {
          RowFormat sliceFormat = new RowFormat(DType.I8, slices.get(slice).inputs());
          for (long i = 0; i < count; i++) {
            long from = a.offset() + (first + i) * a.stride();
            copySlice(a.memory(), from, slice * SLICE, sliceFormat, i * sliceFormat.bytes());
          }
          aSlice.at(rows, 0, count, sliceFormat.bytes(), sliceFormat.bytes());
          cPart.at(part, 0, count, (long) width * Float.BYTES, partBytes);
          products.get(slice).multiply(thread, aSlice, cPart, firstColumn);
          add(slice == 0, count, width);
        }
        for (int i = 0; i < count; i++) {
          epilogue.apply(sums[i], Math.toIntExact(firstColumn), width);
          long to = c.offset() + (first + i) * c.stride();
          floats.store(output, c.memory(), to, sums[i], width);
        }
      }

      private void copySlice(MemorySegment a, long from, long input, RowFormat slice, long to) {
        MemorySegment.copy(a, from + input, rows, to, slice.columns());
        float scale = a.get(ValueLayout.JAVA_FLOAT_UNALIGNED, from + format.scaleAt());
        rows.set(ValueLayout.JAVA_FLOAT, to + slice.scaleAt(), scale);
      }

      private void add(boolean isFirst, long count, int width) {
        for (int i = 0; i < count; i++) {
          float[] sum = sums[i];
          floats.load(DType.F32, part, i * partBytes, isFirst ? sum : next, width);
          for (int j = 0; j < width && !isFirst; j++) {
            sum[j] += next[j];
          }
        }
      }
    }
  }
}
