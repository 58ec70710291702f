// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.model;

import io.github.gemmflow.World;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.measure.Meeting;
import io.github.gemmflow.measure.record.RecordedStep;
import io.github.gemmflow.models.checkpoint.Checkpoint;
import io.github.gemmflow.models.checkpoint.ModelConfig;
import io.github.gemmflow.models.decoder.Decoder;
import io.github.gemmflow.models.decoder.Sequence;
import io.github.gemmflow.models.decoder.Weights;
import io.github.gemmflow.models.parallel.Shares;
import io.github.gemmflow.tuning.Overlap;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Timing of the prefill of prompts in several ways, interleaved, on all ranks of a world.
 *
 * @param warmup rounds before those that count
 * @param rounds rounds that count
 * @param recorded whether a prefill in halves is recorded after that
 */
record PrefillBenchmark(List<int[]> prompts, DType type, int warmup, int rounds, boolean recorded) {
  PrefillBenchmark {
    if (warmup < 0 || rounds < 1) {
      throw new IllegalArgumentException(
          "%d rounds to warm up and %d that count cannot be run".formatted(warmup, rounds));
    }
  }

  /**
   * A way to prefill.
   *
   * @param run runs it with sequences that the model has seen nothing of
   * @param isRight whether these are the right logits
   */
  private record Way(Function<List<Sequence>, float[][]> run, Predicate<float[][]> isRight) {
    static Way of(Function<List<Sequence>, float[][]> run, float[][] expected) {
      return new Way(run, logits -> Arrays.deepEquals(expected, logits));
    }
  }

  /** Runs on every rank of a world. Collective; all ranks get the same. */
  PrefillResult run(World world, Checkpoint checkpoint) {
    Weights weights = Weights.of(world, checkpoint, Shares.even(world.size()), type);
    Tuning tuning = world.tuning();
    // One after the other all rows have to be there at once.
    Tuning unfused = tuning.withOverlap(Overlap.SEQUENTIAL).withStorage(Storage.GATHERED);
    try (Meeting meeting = new Meeting(world);
        Decoder model = model(meeting, weights, tuning.withOverlap(Overlap.PIPELINED), 2);
        Decoder sequential = model(meeting, weights, unfused, 1);
        NetworkOnly network = new NetworkOnly(meeting.group(), weights, rows())) {
      float[][] apart = runApart(model, begin(model));
      float[][] whole = model.runWhole(begin(model));
      Way halves = Way.of(model::run, apart);
      Function<List<Sequence>, float[][]> onlySend =
          sequences -> {
            network.run();
            return new float[0][];
          };
      List<Way> ways =
          List.of(
              halves,
              Way.of(sequential::run, whole),
              Way.of(onlySend, new float[0][]),
              Way.of(model::runWhole, whole),
              halves);
      double[] mine = measure(ways, model, meeting);
      RecordedStep recording =
          recorded
              ? RecordedStep.of(world, model.spaces(rows()), () -> model.run(begin(model)), meeting)
              : null;
      return result(world, checkpoint.config(), meeting, mine, recording);
    }
  }

  /** The halves, one after the other. */
  private static float[][] runApart(Decoder model, List<Sequence> sequences) {
    int half = model.half(sequences);
    List<float[]> logits = new ArrayList<>(List.of(model.runWhole(sequences.subList(0, half))));
    if (half < sequences.size()) {
      logits.addAll(List.of(model.runWhole(sequences.subList(half, sequences.size()))));
    }
    return logits.toArray(float[][]::new);
  }

  /** The milliseconds of each way in each round; then 1 if all logits are as expected. */
  private double[] measure(List<Way> ways, Decoder model, Meeting meeting) {
    double[] mine = new double[ways.size() * rounds + 1];
    boolean same = true;
    for (int round = -warmup; round < rounds; round++) {
      for (int i = 0; i < ways.size(); i++) {
        List<Sequence> fresh = begin(model);
        meeting.meet();
        long start = System.nanoTime();
        float[][] logits = ways.get(i).run().apply(fresh);
        double millis = (System.nanoTime() - start) / 1e6;
        same &= ways.get(i).isRight().test(logits);
        if (round >= 0) {
          mine[i * rounds + round] = millis;
        }
      }
    }
    mine[mine.length - 1] = same ? 1 : 0;
    return mine;
  }

  private Decoder model(Meeting meeting, Weights weights, Tuning tuning, int halves) {
    return new Decoder(meeting.group(), weights, tuning, halves, rows(), prompts.size());
  }

  /** The tokens of all prompts. */
  private int rows() {
    return prompts.stream().mapToInt(prompt -> prompt.length).sum();
  }

  /** Sequences that the model has seen nothing of. */
  private List<Sequence> begin(Decoder model) {
    return prompts.stream().map(model::begin).toList();
  }

  private PrefillResult result(
      World world,
      ModelConfig config,
      Meeting meeting,
      double[] mine,
      @Nullable RecordedStep recording) {
    List<List<Double>> slowest = new ArrayList<>();
    boolean same = true;
    double[] millis = new double[mine.length - 1];
    for (double[] rank : meeting.show(mine)) {
      for (int i = 0; i < millis.length; i++) {
        millis[i] = Math.max(millis[i], rank[i]);
      }
      same &= rank[mine.length - 1] == 1;
    }
    for (int i = 0; i < PrefillTimes.WAYS; i++) {
      slowest.add(Arrays.stream(millis, i * rounds, (i + 1) * rounds).boxed().toList());
    }
    return new PrefillResult(
        this,
        config,
        world.size(),
        meeting.group().hosts().count(),
        world.config().threads(),
        world.engineName(),
        world.kernel().name(),
        PrefillTimes.of(slowest),
        same,
        recording);
  }
}
