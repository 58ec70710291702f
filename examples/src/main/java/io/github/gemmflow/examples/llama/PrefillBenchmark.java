// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.llama;

import io.github.gemmflow.Group;
import io.github.gemmflow.World;
import io.github.gemmflow.cli.bench.Meeting;
import io.github.gemmflow.cli.bench.RecordedStep;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.tuning.Overlap;
import io.github.gemmflow.tuning.Tuning;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Timing of the prefill of prompts, pipelined and sequential, interleaved, on all ranks of a world.
 *
 * @param warmup rounds before those that count
 * @param rounds rounds that count
 * @param recorded whether a pipelined prefill is recorded after that
 */
record PrefillBenchmark(List<int[]> prompts, DType type, int warmup, int rounds, boolean recorded) {
  /** What a round measures, in order: both, and the first once more as the control. */
  private static final List<Overlap> ROUND =
      List.of(Overlap.PIPELINED, Overlap.SEQUENTIAL, Overlap.PIPELINED);

  PrefillBenchmark {
    if (warmup < 0 || rounds < 1) {
      throw new IllegalArgumentException(
          "%d rounds to warm up and %d that count cannot be run".formatted(warmup, rounds));
    }
  }

  /** Runs on every rank of a world. Collective; all ranks get the same. */
  PrefillResult run(World world, Checkpoint checkpoint) {
    Weights weights = Weights.of(world, checkpoint, type);
    Tuning tuning = world.config().tuning();
    int numbers = ROUND.size() * rounds + 1;
    try (Meeting meeting = new Meeting(world, numbers);
        Llama pipelined = model(meeting.group(), weights, tuning.withOverlap(Overlap.PIPELINED));
        Llama sequential =
            model(meeting.group(), weights, tuning.withOverlap(Overlap.SEQUENTIAL))) {
      double[] mine = new double[numbers];
      boolean same = true;
      float[][] logits = prefill(pipelined);
      for (int round = -warmup; round < rounds; round++) {
        for (int i = 0; i < ROUND.size(); i++) {
          Llama model = ROUND.get(i) == Overlap.PIPELINED ? pipelined : sequential;
          List<Sequence> fresh = begin(model);
          meeting.meet();
          long start = System.nanoTime();
          float[][] again = model.run(fresh);
          double millis = (System.nanoTime() - start) / 1e6;
          same &= Arrays.deepEquals(logits, again);
          if (round >= 0) {
            mine[i * rounds + round] = millis;
          }
        }
      }
      mine[numbers - 1] = same ? 1 : 0;
      RecordedStep recording =
          recorded
              ? RecordedStep.of(world, pipelined.space(), () -> prefill(pipelined), meeting)
              : null;
      return result(world, checkpoint.config(), meeting, mine, recording);
    }
  }

  private Llama model(Group group, Weights weights, Tuning tuning) {
    return new Llama(group, weights, tuning, rows(), prompts.size());
  }

  /** The tokens of all prompts. */
  private int rows() {
    return prompts.stream().mapToInt(prompt -> prompt.length).sum();
  }

  /** Sequences that the model has seen nothing of. */
  private List<Sequence> begin(Llama model) {
    return prompts.stream().map(model::begin).toList();
  }

  private float[][] prefill(Llama model) {
    return model.run(begin(model));
  }

  private PrefillResult result(
      World world,
      LlamaConfig config,
      Meeting meeting,
      double[] mine,
      @Nullable RecordedStep recording) {
    double[][] slowest = new double[ROUND.size()][rounds];
    boolean same = true;
    for (double[] rank : meeting.show(mine)) {
      for (int i = 0; i < slowest.length; i++) {
        for (int round = 0; round < rounds; round++) {
          slowest[i][round] = Math.max(slowest[i][round], rank[i * rounds + round]);
        }
      }
      same &= rank[mine.length - 1] == 1;
    }
    return new PrefillResult(
        this,
        config,
        world.size(),
        meeting.group().domains().count(),
        world.config().threads(),
        world.engineName(),
        world.kernel().name(),
        new PrefillTimes(times(slowest[0]), times(slowest[1]), times(slowest[2])),
        same,
        recording);
  }

  private static List<Double> times(double[] millis) {
    return Arrays.stream(millis).boxed().toList();
  }
}
