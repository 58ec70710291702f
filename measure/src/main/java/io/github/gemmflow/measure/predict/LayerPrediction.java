// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.predict;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.RowFormat;
import io.github.gemmflow.matrix.Shards;
import io.github.gemmflow.matrix.wire.RowTypes;
import io.github.gemmflow.measure.layer.Layer;
import io.github.gemmflow.measure.layer.Operation;
import io.github.gemmflow.pipeline.WindowSize;
import io.github.gemmflow.plan.Capacity;
import io.github.gemmflow.plan.GatherLayout;
import io.github.gemmflow.plan.GatherPlan;
import io.github.gemmflow.plan.GatherProblem;
import io.github.gemmflow.plan.SumLayout;
import io.github.gemmflow.plan.SumPlan;
import io.github.gemmflow.plan.SumProblem;
import io.github.gemmflow.simulator.Conditions;
import io.github.gemmflow.simulator.RowCosts;
import io.github.gemmflow.simulator.SimulatedStep;
import io.github.gemmflow.simulator.Simulator;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Tuning;
import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.KernelCosts;
import java.util.Arrays;

/**
 * Prediction of a step of a layer: its plan, simulated.
 *
 * @param step what was simulated
 * @param sharedBytes what rows in flight take of the shared memory of a host
 * @param weightBytes of each rank
 */
public record LayerPrediction(SimulatedStep step, long sharedBytes, long weightBytes) {
  /** Rows below which a product costs nearly as much as one with this many, for oneDNN. */
  private static final long WORTHWHILE_ROWS = 64;

  /** Where weights are when a step begins. */
  public enum Weights {
    /** In caches, as far as they fit, since a step before used them, too. */
    WARM,

    /** In memory, since other layers came between. */
    COLD
  }

  /**
   * Predicts a step that is run again and again.
   *
   * @param size of the layer as a rank sees it: the columns of its own weights
   */
  public static LayerPrediction of(Layer.Size size, Hosts hosts, Tuning tuning, CostModel costs) {
    return of(size, hosts, tuning, costs, Weights.WARM, false);
  }

  /** Predicts a step; and what its threads do, if that is wanted. */
  public static LayerPrediction of(
      Layer.Size size,
      Hosts hosts,
      Tuning tuning,
      CostModel costs,
      Weights weights,
      boolean recorded) {
    Products products =
        new Products(costs.kernel(size.type().toString()), size.n(), weights == Weights.COLD);
    return size.operation().isSum()
        ? sum(size, hosts, tuning, costs, products, recorded)
        : gather(size, hosts, tuning, costs, products, recorded);
  }

  /** Times of products with a rank's weights. */
  private record Products(KernelCosts kernel, long n, boolean areCold) {
    double nanos(long rows, long inputs) {
      return areCold ? kernel.coldNanos(rows, inputs, n) : kernel.nanos(rows, inputs, n);
    }
  }

  private static LayerPrediction gather(
      Layer.Size size,
      Hosts hosts,
      Tuning tuning,
      CostModel costs,
      Products products,
      boolean recorded) {
    long rowBytes = rowBytes(size);
    Capacity capacity = Capacity.of(size.m(), rowBytes, tuning);
    GatherPlan plan = GatherPlan.of(GatherProblem.alongRows(rowBytes, capacity), hosts, tuning);
    GatherLayout layout = plan.step();
    layout.lay(Shards.of(size.m(), hosts.ranks()).sizes());
    // Rows that travel in another type than they are multiplied in are converted before.
    double convert =
        size.wire() == size.type()
            ? 0
            : 2 * size.k() * DType.F32.bytes() * costs.host().addNanosPerByte();
    RowCosts work =
        new RowCosts() {
          @Override
          public double nanos(int rank, long rows) {
            return products.nanos(rows, size.k()) + rows * convert;
          }

          @Override
          public long worthwhileRows() {
            return WORTHWHILE_ROWS;
          }
        };
    SimulatedStep step = Simulator.gather(layout, work, Conditions.of(costs), recorded);
    long shared = WindowSize.bytes(hosts, 0, capacity);
    return new LayerPrediction(step, shared, weightBytes(size, size.k()));
  }

  private static LayerPrediction sum(
      Layer.Size size,
      Hosts hosts,
      Tuning tuning,
      CostModel costs,
      Products products,
      boolean recorded) {
    boolean scattered = size.operation() == Operation.REDUCE_SCATTER;
    SumProblem problem = new SumProblem(size.n(), rowBytes(size), scattered, size.m());
    SumPlan plan = SumPlan.of(problem, hosts, tuning);
    SumLayout layout = plan.step();
    layout.lay(
        scattered ? Shards.of(size.m(), hosts.ranks()).sizes() : everywhere(size.m(), hosts));
    long[] inputs = Shards.of(size.k(), hosts.ranks()).sizes();
    SimulatedStep step =
        Simulator.sum(
            layout,
            (rank, rows) -> products.nanos(rows, inputs[rank]),
            Conditions.of(costs),
            recorded);
    long shared =
        WindowSize.bytes(hosts, 0, Capacity.of(size.m(), 0, tuning)) + WindowSize.sumBytes(plan, 0);
    return new LayerPrediction(step, shared, weightBytes(size, inputs[0]));
  }

  /** The bytes of a row that travels, of A or of a sum. */
  public static long rowBytes(Layer.Size size) {
    return size.operation().isSum()
        ? RowFormat.ofPartialSums(size.wire(), size.n()).bytes()
        : new RowTypes(size.type(), size.wire()).format(size.k()).bytes();
  }

  private static long[] everywhere(long rows, Hosts hosts) {
    long[] counts = new long[hosts.ranks()];
    Arrays.fill(counts, rows);
    return counts;
  }

  private static long weightBytes(Layer.Size size, long inputs) {
    return inputs * size.n() * size.type().bytes();
  }

  /** The time of the slowest rank, in milliseconds. */
  public double millis() {
    return step.nanos() / 1e6;
  }
}
