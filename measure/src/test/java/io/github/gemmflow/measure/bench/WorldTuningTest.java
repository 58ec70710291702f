// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.bench;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.Config;
import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.measure.Progress;
import io.github.gemmflow.measure.layer.Layer;
import io.github.gemmflow.measure.layer.Operation;
import io.github.gemmflow.tuning.Chunking;
import io.github.gemmflow.tuning.Explanation;
import io.github.gemmflow.tuning.Tuning;
import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.CostText;
import io.github.gemmflow.tuning.cost.LinkCosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is measured is what a program gets by default: the tuning of the world, with its costs. */
class WorldTuningTest {
  private static final LinkCosts FAST = LinkCosts.of(20e3, 10e9);

  @TempDir private Path directory;

  private Explanation plan(Benchmark benchmark, Tuning tuning) throws IOException {
    CostModel fast = CostModel.ASSUMED.withLink(FAST);
    Path costs = Files.writeString(directory.resolve("costs"), CostText.write(fast));
    Queue<Explanation> plans = new ConcurrentLinkedQueue<>();
    LocalWorld.onHosts(0, 1)
        .config(Config.builder().threads(1).costs(costs).tuning(tuning).build())
        .run(
            world -> {
              Outcome outcome = benchmark.run(world, Progress.NONE, () -> 0);
              assertTrue(outcome.verified());
              plans.add(
                  switch (outcome) {
                    case Result layer -> layer.plan();
                    case GatherResult gather -> gather.plan();
                  });
            });
    return plans.remove();
  }

  @Test
  void gatherHasChunksOfItsLink() throws IOException {
    GatherBenchmark gather = new GatherBenchmark(2048, 1024, DType.F32, false, 1, 2);
    assertChunksOfLink(plan(gather, Tuning.DEFAULT), 4096);
    assertChunks(32, plan(gather, Tuning.DEFAULT.withChunkRows(32)));
  }

  @Test
  void layerHasChunksOfItsLink() throws IOException {
    Layer.Size size = new Layer.Size(Operation.GATHER, 2048, 1024, 2, DType.F32);
    LayerBenchmark layer = new LayerBenchmark(size, 1, 1, 2, false);
    assertChunksOfLink(plan(layer, Tuning.DEFAULT), 4096);
    assertChunks(32, plan(layer, Tuning.DEFAULT.withChunkRows(32)));
  }

  private static void assertChunksOfLink(Explanation plan, long bytesOfRow) {
    assertChunks(Chunking.BY_RULE.on(FAST).bytes() / bytesOfRow, plan);
  }

  private static void assertChunks(long rows, Explanation plan) {
    String start = "of up to %d rows, ".formatted(rows);
    assertTrue(plan.choice("chunks").startsWith(start), plan::toString);
  }
}
