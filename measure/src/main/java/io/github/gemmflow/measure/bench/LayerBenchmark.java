// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.bench;

import io.github.gemmflow.Group;
import io.github.gemmflow.ReplicaGroups;
import io.github.gemmflow.World;
import io.github.gemmflow.measure.Counted;
import io.github.gemmflow.measure.Meeting;
import io.github.gemmflow.measure.Progress;
import io.github.gemmflow.measure.Rounds;
import io.github.gemmflow.measure.Samples;
import io.github.gemmflow.measure.View;
import io.github.gemmflow.measure.layer.Layer;
import io.github.gemmflow.measure.record.RecordedStep;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Timing of a linear layer in all views, interleaved, on all ranks of a world.
 *
 * @param groups how many groups run side by side, each with the layer
 * @param warmup rounds before those that count
 * @param iterations rounds that count
 * @param recorded whether a step is recorded after that
 */
public record LayerBenchmark(
    Layer.Size size, int groups, int warmup, int iterations, boolean recorded)
    implements Benchmark {
  /** What a round measures, in order: all views, and the last once more as the control. */
  private static final List<View> ROUND =
      Stream.concat(Arrays.stream(View.values()), Stream.of(View.PIPELINED)).toList();

  private static final int CONTROL = ROUND.size() - 1;

  public LayerBenchmark {
    Rounds.check(warmup, iterations);
    if (groups < 1) {
      throw new IllegalArgumentException(
          "%s cannot run a layer".formatted(Counted.of(groups, "group")));
    }
  }

  @Override
  public Result run(World world, Progress progress, LongSupplier bytesIntoHost) {
    Rounds rounds = new Rounds(warmup, iterations, progress, bytesIntoHost);
    Group group =
        groups == 1 ? world.group() : world.split(ReplicaGroups.ofSize(world.size() / groups));
    try (Group single = world.split(ReplicaGroups.ofSize(1));
        Layer layer = Layer.of(world, group, single, size, world.tuning())) {
      List<Runnable> parts = ROUND.stream().<Runnable>map(view -> () -> layer.run(view)).toList();
      Rounds.Measured measured = rounds.run(world, parts, () -> verify(layer));
      RecordedStep recording = recorded ? record(world, layer) : null;
      return result(world, layer, measured, recording);
    } finally {
      if (groups > 1) {
        group.close();
      }
    }
  }

  /** Both, whatever comes of the first: all ranks take part in both. */
  private static boolean verify(Layer layer) {
    boolean sequential = layer.verify(View.SEQUENTIAL);
    boolean pipelined = layer.verify(View.PIPELINED);
    return sequential && pipelined;
  }

  private static RecordedStep record(World world, Layer layer) {
    try (Meeting meeting = new Meeting(world)) {
      return RecordedStep.of(world, layer.space(), () -> layer.run(View.PIPELINED), meeting);
    }
  }

  private Result result(
      World world, Layer layer, Rounds.Measured measured, @Nullable RecordedStep recording) {
    return new Result(
        this,
        world.size(),
        world.group().hosts().count(),
        world.engineName(),
        world.kernel().name(),
        world.kernel().instructions(),
        layer.explain(),
        layer.flops() * groups,
        layer.bytesToCross() * groups,
        samples(measured.slowest()),
        measured,
        recording);
  }

  private static Samples samples(List<double[]> slowest) {
    Map<View, double[]> views = new EnumMap<>(View.class);
    for (int i = 0; i < CONTROL; i++) {
      views.put(ROUND.get(i), slowest.get(i));
    }
    return new Samples(views, slowest.get(CONTROL));
  }
}
