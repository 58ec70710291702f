// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.predict;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.measure.layer.Layer;
import io.github.gemmflow.measure.layer.Operation;
import io.github.gemmflow.simulator.SimulatedStep;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Tuning;
import io.github.gemmflow.tuning.cost.CostModel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Question of what something takes on different numbers of ranks.
 *
 * @param ranks to ask about, fewest first
 * @param ranksPerHost neighbours that share a host
 */
public record Question(List<Integer> ranks, int ranksPerHost, Tuning tuning, CostModel costs) {
  public Question {
    ranks = ranks.stream().sorted().toList();
    if (ranks.isEmpty() || ranks.getFirst() < 1 || ranksPerHost < 1) {
      throw new IllegalArgumentException(
          "%s ranks, %d per host: give numbers of 1 or more".formatted(ranks, ranksPerHost));
    }
  }

  private Hosts hosts(int count) {
    return Hosts.of(IntStream.range(0, count).map(rank -> rank / ranksPerHost).toArray());
  }

  private Curve curve(String name, long tokens, Function<Hosts, Point> predict) {
    List<Point> points = ranks.stream().map(count -> predict.apply(hosts(count))).toList();
    return new Curve(name, tokens, points);
  }

  /**
   * The curve of a layer.
   *
   * @param whole the layer of all ranks together: K x N is divided among them
   */
  public Curve layer(Layer.Size whole) {
    return curve(
        "%s %d x %d x %d %s"
            .formatted(whole.operation(), whole.m(), whole.k(), whole.n(), whole.types()),
        0,
        hosts -> point(hosts, LayerPrediction.of(ofRank(whole, hosts), hosts, tuning, costs)));
  }

  /** A step of the layer on the most ranks, with what its threads do. */
  public SimulatedStep recorded(Layer.Size whole) {
    Hosts hosts = hosts(ranks.getLast());
    return LayerPrediction.of(
            ofRank(whole, hosts), hosts, tuning, costs, LayerPrediction.Weights.WARM, true)
        .step();
  }

  /** Of a sum each rank has some rows of the weights, of a gather some columns. */
  private static Layer.Size ofRank(Layer.Size whole, Hosts hosts) {
    long columns =
        whole.operation().isSum() ? whole.n() : Math.ceilDiv(whole.n(), (long) hosts.ranks());
    return new Layer.Size(
        whole.operation(), whole.m(), whole.k(), columns, whole.type(), whole.wire());
  }

  private static Point point(Hosts hosts, LayerPrediction prediction) {
    return Point.of(
        hosts,
        prediction.millis(),
        prediction.step().limit(),
        prediction.step().bytesIntoHost(),
        prediction.sharedBytes(),
        prediction.weightBytes());
  }

  /** The curve of a pass of a model over some rows, each of which looks back at some positions. */
  public Curve model(String name, ModelShape model, DType type, long rows, long positions) {
    return curve(
        name,
        rows,
        hosts -> {
          ModelPrediction.Pass pass =
              new ModelPrediction(model, type, hosts, tuning, costs, rows, positions).predict();
          return Point.of(
              hosts,
              pass.nanos() / 1e6,
              pass.limit(),
              pass.bytesIntoHost(),
              pass.sharedBytes(),
              pass.weightBytes());
        });
  }

  /** What other types would gain for a layer on the most ranks. */
  public List<Alternative> alternatives(Layer.Size whole) {
    Question last = new Question(List.of(ranks.getLast()), ranksPerHost, tuning, costs);
    double now = last.layer(whole).points().getFirst().millis();
    List<Alternative> found = new ArrayList<>();
    for (DType type : List.of(DType.F32, DType.BF16, DType.I8)) {
      if (type != whole.type() && costs.kernels().containsKey(type.toString())) {
        found.add(last.alternative("weights and rows of " + type, other(whole, type), now));
      }
    }
    boolean isSum = whole.operation().isSum();
    for (DType wire : isSum ? List.of(DType.BF16, DType.I8) : List.of(DType.I8)) {
      if (wire != whole.wire() && (isSum || whole.type().isReal())) {
        String what = (isSum ? "sums" : "rows") + " that travel as " + wire;
        found.add(last.alternative(what, travelling(whole, wire), now));
      }
    }
    return found;
  }

  private Alternative alternative(String name, Layer.Size size, double now) {
    double millis = layer(size).points().getFirst().millis();
    return new Alternative(name, millis, millis / now);
  }

  private static Layer.Size other(Layer.Size size, DType type) {
    return new Layer.Size(size.operation(), size.m(), size.k(), size.n(), type);
  }

  private static Layer.Size travelling(Layer.Size size, DType wire) {
    return new Layer.Size(size.operation(), size.m(), size.k(), size.n(), size.type(), wire);
  }

  /** Whether a layer of an operation can be asked about. */
  public static boolean knows(Operation operation) {
    return operation != Operation.ALL_GATHER;
  }
}
