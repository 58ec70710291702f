// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.sum;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.Product;
import io.github.gemmflow.kernel.ProductSpec;
import io.github.gemmflow.kernel.ReferenceKernel;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.pipeline.compute.ComputeThreads;
import io.github.gemmflow.pipeline.compute.LaneContext;
import io.github.gemmflow.pipeline.step.Diagnosis;
import io.github.gemmflow.pipeline.step.HeaderCheck;
import io.github.gemmflow.pipeline.step.HostMemory;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.pipeline.step.Recorder;
import io.github.gemmflow.pipeline.step.StepContext;
import io.github.gemmflow.pipeline.step.StepWindow;
import io.github.gemmflow.plan.SumPlan;
import io.github.gemmflow.plan.SumProblem;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Tuning;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

/** One rank, which adds what it has to nothing. */
class AddendTest {
  private static final Hosts HOSTS = Hosts.of(0);
  private static final ReferenceKernel KERNEL = new ReferenceKernel();
  private static final int INPUTS = 3;
  private static final int OUTPUTS = 2;

  private final HostMemory host = new HostMemory(HOSTS, 0);
  private final StepContext[] open = new StepContext[StepWindow.STEPS];
  private final SumKind kind;

  AddendTest() {
    HostPeers peers = host.rank(0);
    HeaderCheck headers = new HeaderCheck(peers, host.headers());
    for (int buffer = 0; buffer < open.length; buffer++) {
      open[buffer] = new StepContext(buffer, 1);
    }
    LaneContext context =
        new LaneContext(
            peers,
            host.window().heartbeats(),
            host.news(),
            headers,
            new Diagnosis(peers, host.window(), () -> ""),
            new Recorder(0),
            new ComputeThreads("test", 1, 0, thread -> {}, null));
    SumPlan plan =
        SumPlan.of(
            new SumProblem(OUTPUTS, OUTPUTS * Float.BYTES, true, 100),
            HOSTS,
            Tuning.DEFAULT.withChunkRows(4).withSlots(2));
    kind =
        new SumKind(
            plan,
            Arena.ofAuto().allocate(SumKind.bytes(plan, 0), 4096),
            open,
            peers,
            headers,
            new SumLane(context));
  }

  private static Matrix matrix(int rows, int columns, float... values) {
    Matrix m = Matrix.allocate(DType.F32, rows, columns, Arena.ofAuto());
    for (int i = 0; i < rows * columns; i++) {
      m.set(i / columns, i % columns, values[i % values.length]);
    }
    return m;
  }

  /** Runs a step of some rows. */
  private Matrix run(Addend addend, Matrix input) {
    Matrix output = Matrix.allocate(DType.F32, input.rows(), OUTPUTS, Arena.ofAuto());
    PlannedSum step = kind.step(0);
    step.layout().lay(new long[] {input.rows()});
    open[0].open(0, 1);
    host.begin(0, 0, 1, input.rows(), step.layout().countsHash());
    step.number();
    open[0].lay(step.layout(), true);
    step.run(addend.work().bind(input, output));
    return output;
  }

  /** Ten rows are more tiles than there are slots. */
  @Test
  void rowsAreAddedAsGiven() {
    Addend addend = Addend.asGiven(0, 1, kind, DType.F32, DType.F32);
    assertEquals(OUTPUTS, addend.inputColumns());
    Matrix input = matrix(10, OUTPUTS, 1, 2, 3, 4, 5, 6, 7);
    Matrix output = run(addend, input);
    assertEquals(
        -1,
        input.block(new Block(), 0, 10).span().mismatch(output.block(new Block(), 0, 10).span()));
    addend.close();
  }

  /** Weights that count how often they are freed, and of which there may be no product. */
  private static final class Weights extends PackedWeights {
    private final PackedWeights inner;
    private final boolean broken;
    private int freed;

    Weights(boolean broken) {
      super(KERNEL, DType.F32, WeightLayout.IN_OUT, INPUTS, OUTPUTS);
      this.inner = KERNEL.pack(matrix(INPUTS, OUTPUTS, 1, 0, 0, 1, 2, 3), WeightLayout.IN_OUT);
      this.broken = broken;
    }

    @Override
    public Product product(ProductSpec spec) {
      if (broken) {
        throw new IllegalStateException("no such product");
      }
      return inner.product(spec);
    }

    @Override
    protected void free() {
      freed++;
    }
  }

  @Test
  void rowsAreMultiplied() {
    Weights weights = new Weights(false);
    Addend addend = product(weights);
    weights.close();
    assertEquals(INPUTS, addend.inputColumns());
    Matrix output = run(addend, matrix(9, INPUTS, 1, 2, 3));
    for (int row = 0; row < 9; row++) {
      assertEquals(1 + 3 * 2, output.get(row, 0));
      assertEquals(2 + 3 * 3, output.get(row, 1));
    }
    assertEquals(0, weights.freed, "an operator uses them");
    addend.close();
    assertEquals(1, weights.freed);
  }

  @Test
  void weightsWithoutAProductAreLetGo() {
    Weights weights = new Weights(true);
    assertThrows(IllegalStateException.class, () -> product(weights));
    weights.close();
    assertEquals(1, weights.freed);
  }

  private Addend product(PackedWeights weights) {
    return Addend.product(
        0,
        1,
        kind,
        weights,
        DType.F32,
        DType.F32,
        partial -> new SumWork(partial, DType.F32, Epilogue.NONE, false));
  }
}
