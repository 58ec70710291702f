// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.predict;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.measure.layer.Layer;
import io.github.gemmflow.measure.layer.Operation;
import io.github.gemmflow.simulator.SimulatedStep;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Tuning;
import io.github.gemmflow.tuning.cost.CostModel;
import java.util.EnumMap;
import java.util.Map;

/**
 * Prediction of a pass of a decoder over some rows, as the example runs it: in each layer two
 * gathers and two sums, or for few rows two sums only; attention and norms by a rough count.
 *
 * @param rows tokens that are worked on together
 * @param positions that each of them looks back at, on average
 */
public record ModelPrediction(
    ModelShape model,
    DType type,
    Hosts hosts,
    Tuning tuning,
    CostModel costs,
    long rows,
    long positions) {
  /** Up to so many rows every rank has all of them, and nothing is gathered. */
  private static final long FEW_ROWS = 4;

  /** A multiplication and an addition of attention, vectorised, take about so long. Assumed. */
  private static final double ATTENTION_NANOS = 0.2;

  /** Norms, rotary embedding and activations pass over the rows of a layer about so often. */
  private static final int PASSES = 8;

  /**
   * What was predicted.
   *
   * @param nanos of the pass
   * @param limit what most of its time goes to
   * @param bytesIntoHost over the link of a host
   * @param weightBytes of a rank
   * @param sharedBytes of a host, for rows on their way
   */
  public record Pass(
      double nanos,
      SimulatedStep.Limit limit,
      long bytesIntoHost,
      long weightBytes,
      long sharedBytes) {}

  /** Predicts it. */
  public Pass predict() {
    int ranks = hosts.ranks();
    long qkv = model.headSize() * Math.ceilDiv(model.heads() + 2 * model.kvHeads(), ranks);
    long up = 2 * Math.ceilDiv(model.intermediate(), ranks);
    long head = Math.ceilDiv(model.vocabulary(), ranks);
    boolean gathers = rows > FEW_ROWS && ranks > 1;
    Sum sum = new Sum();
    Operation ending = gathers ? Operation.REDUCE_SCATTER : Operation.ALL_REDUCE;
    for (long columns : new long[] {qkv, up}) {
      if (gathers) {
        sum.add(model.layers(), step(Operation.GATHER, rows, model.hidden(), columns));
      } else {
        sum.work(model.layers(), cold(rows, model.hidden(), columns));
      }
    }
    sum.add(model.layers(), step(ending, rows, model.headSize() * model.heads(), model.hidden()));
    sum.add(model.layers(), step(ending, rows, model.intermediate(), model.hidden()));
    sum.work(1, cold(Math.min(rows, FEW_ROWS), model.hidden(), head));
    sum.work(model.layers(), restNanos());
    long weights = model.parameters() / ranks * type.bytes();
    return new Pass(sum.nanos, sum.limit(), sum.bytes, weights, sum.shared);
  }

  /** Weights of a model are more than a cache holds: an element costs as of the largest. */
  private double cold(long count, long inputs, long outputs) {
    return costs.kernel(type.toString()).coldNanos(count, inputs, outputs);
  }

  private LayerPrediction step(Operation operation, long count, long k, long n) {
    Layer.Size size = new Layer.Size(operation, count, k, n, type);
    return LayerPrediction.of(size, hosts, tuning, costs, LayerPrediction.Weights.COLD, false);
  }

  private double restNanos() {
    double attention = 2.0 * rows * positions * model.headSize() * model.heads() * ATTENTION_NANOS;
    double elements = (double) rows * (model.hidden() + model.intermediate());
    double passes = PASSES * elements * DType.F32.bytes() * costs.host().addNanosPerByte();
    return (attention + passes) / hosts.ranks() / costs.threads();
  }

  /** Sum of the steps of a pass, and of what limits them. */
  private static final class Sum {
    private double nanos;
    private long bytes;
    private long shared;
    private final Map<SimulatedStep.Limit, Double> limits =
        new EnumMap<>(SimulatedStep.Limit.class);

    void add(long times, LayerPrediction step) {
      nanos += times * step.step().nanos();
      bytes += times * step.step().bytesIntoHost();
      shared = Math.max(shared, step.sharedBytes());
      limits.merge(step.step().limit(), times * step.step().nanos(), Double::sum);
    }

    void work(long times, double each) {
      nanos += times * each;
      limits.merge(SimulatedStep.Limit.WORK, times * each, Double::sum);
    }

    SimulatedStep.Limit limit() {
      return limits.entrySet().stream()
          .max(Map.Entry.comparingByValue())
          .map(Map.Entry::getKey)
          .orElse(SimulatedStep.Limit.WORK);
    }
  }
}
