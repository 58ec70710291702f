// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.tune;

import io.github.gemmflow.Group;
import io.github.gemmflow.ReplicaGroups;
import io.github.gemmflow.World;
import io.github.gemmflow.measure.Progress;
import io.github.gemmflow.measure.Rounds;
import io.github.gemmflow.measure.View;
import io.github.gemmflow.measure.layer.Layer;
import io.github.gemmflow.measure.predict.LayerPrediction;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Tuning;
import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.TriedStep;
import java.util.ArrayList;
import java.util.List;

/**
 * Trial of a layer: as the rules have it, in the ways that are predicted to be the best, and as the
 * rules have it once more, all in turns on all ranks of a world.
 *
 * @param size the layer of a rank
 * @param ways how many are tried
 * @param warmup rounds before those that count
 * @param iterations rounds that count
 */
public record Tuner(Layer.Size size, int ways, int warmup, int iterations) {
  public Tuner {
    Rounds.check(warmup, iterations);
    if (ways < 1) {
      throw new IllegalArgumentException("%d ways cannot be tried".formatted(ways));
    }
  }

  /** Tries them. Collective. */
  public Trial run(World world, Progress progress) {
    Hosts hosts = world.group().hosts();
    String key =
        TriedStep.key(
            size.operation().toString(),
            LayerPrediction.rowBytes(size),
            size.m(),
            hosts.ranks(),
            hosts.count());
    CostModel costs = world.tuning().costs().withoutTried(key);
    Tuning settings = world.tuning().withCosts(costs);
    List<Candidate> candidates = new ArrayList<>();
    candidates.add(Candidate.byRule(size, hosts, settings));
    candidates.addAll(Candidate.best(size, hosts, settings, ways));
    Rounds rounds = new Rounds(warmup, iterations, progress, () -> 0);
    return new Trial(key, costs, candidates, measure(world, candidates, rounds));
  }

  private Rounds.Measured measure(World world, List<Candidate> candidates, Rounds rounds) {
    List<Layer> layers = new ArrayList<>();
    try (Group single = world.split(ReplicaGroups.ofSize(1))) {
      try {
        for (Candidate candidate : candidates) {
          layers.add(Layer.of(world, world.group(), single, size, candidate.tuning()));
        }
        List<Layer> parts = new ArrayList<>(layers);
        parts.add(layers.getFirst());
        return rounds.run(
            world,
            parts.stream().<Runnable>map(layer -> () -> layer.run(View.PIPELINED)).toList(),
            () -> verify(layers));
      } finally {
        layers.forEach(Layer::close);
      }
    }
  }

  /** All of them, whatever comes of the first: all ranks take part in each. */
  private static boolean verify(List<Layer> layers) {
    boolean right = true;
    for (Layer layer : layers) {
      right &= layer.verify(View.PIPELINED);
    }
    return right;
  }
}
