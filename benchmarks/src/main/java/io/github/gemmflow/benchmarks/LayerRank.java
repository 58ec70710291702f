// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks;

import io.github.gemmflow.Group;
import io.github.gemmflow.ReplicaGroups;
import io.github.gemmflow.World;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.measure.Meeting;
import io.github.gemmflow.measure.View;
import io.github.gemmflow.measure.layer.Layer;
import io.github.gemmflow.measure.layer.Operation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A rank of a linear layer, as {@code bare/layer.cpp} is one: for every line {@code VIEW OPERATION
 * M K N iterations} it answers with the nanoseconds that it took, the bytes that it needs for rows,
 * and the nanoseconds of each iteration; for 0 iterations with a 0 and how many results are wrong.
 */
public final class LayerRank implements AutoCloseable {
  private final World world;
  private final DType type;
  private final Group single;
  private final Meeting meeting;
  private @Nullable Layer layer;

  private LayerRank(World world, DType type) {
    this.world = world;
    this.type = type;
    this.single = world.split(ReplicaGroups.ofSize(1));
    this.meeting = new Meeting(world);
  }

  public static void main(String[] arguments) throws IOException {
    try (World world = World.join();
        LayerRank rank = new LayerRank(world, DType.valueOf(arguments[2]))) {
      Commands.serve(Path.of(arguments[0]), arguments[1], world.rank(), rank::answer);
    }
  }

  private String answer(List<String> words) {
    View view = View.valueOf(words.get(0));
    Layer ready =
        layer(
            new Layer.Size(
                Operation.valueOf(words.get(1)),
                Long.parseLong(words.get(2)),
                Long.parseLong(words.get(3)),
                Long.parseLong(words.get(4)),
                type));
    int iterations = Integer.parseInt(words.get(5));
    if (iterations == 0) {
      return "0 " + (ready.verify(view) ? 0 : 1);
    }
    long[] times = new long[iterations + 1];
    meeting.meet();
    times[0] = System.nanoTime();
    for (int i = 1; i <= iterations; i++) {
      ready.run(view);
      times[i] = System.nanoTime();
    }
    StringBuilder answer = new StringBuilder();
    answer.append(times[iterations] - times[0]).append(' ').append(ready.rowBytes());
    for (int i = 1; i <= iterations; i++) {
      answer.append(' ').append(times[i] - times[i - 1]);
    }
    return answer.toString();
  }

  private Layer layer(Layer.Size size) {
    Layer ready = layer;
    if (ready == null || !ready.size().equals(size)) {
      if (ready != null) {
        ready.close();
      }
      ready = Layer.of(world, meeting.group(), single, size, world.tuning());
      layer = ready;
    }
    return ready;
  }

  @Override
  public void close() {
    if (layer != null) {
      layer.close();
    }
    meeting.close();
  }
}
