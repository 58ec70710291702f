// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.model;

import io.github.gemmflow.measure.Counted;
import io.github.gemmflow.measure.record.RecordedStep;
import io.github.gemmflow.models.checkpoint.ModelConfig;
import java.util.IntSummaryStatistics;
import org.jspecify.annotations.Nullable;

/**
 * Result of a {@link PrefillBenchmark}; the same on all ranks.
 *
 * @param threads that multiply in each rank
 * @param sameLogits whether all passes gave the same logits, bit by bit
 * @param recording a pipelined prefill; null if not asked for
 */
record PrefillResult(
    PrefillBenchmark benchmark,
    ModelConfig config,
    int ranks,
    int hosts,
    int threads,
    String engine,
    String kernel,
    PrefillTimes times,
    boolean sameLogits,
    @Nullable RecordedStep recording) {

  /** A table for a person. */
  String text() {
    return job() + model() + prompts() + times.text() + verdict();
  }

  private String job() {
    return "%s on %s, %s each, %s, %s, kernel %s%n"
        .formatted(
            Counted.of(ranks, "rank"),
            Counted.of(hosts, "host"),
            Counted.of(threads, "thread"),
            benchmark.type(),
            engine,
            kernel);
  }

  private String model() {
    return "%s, hidden %d, intermediate %d, %d heads, %d of keys and values, vocabulary %d%n"
        .formatted(
            Counted.of(config.layers(), "layer"),
            config.hidden(),
            config.intermediate(),
            config.heads(),
            config.kvHeads(),
            config.vocabulary());
  }

  private String prompts() {
    IntSummaryStatistics lengths =
        benchmark.prompts().stream().mapToInt(prompt -> prompt.length).summaryStatistics();
    return "%d rows: %s of %d to %d tokens; %s%n"
        .formatted(
            lengths.getSum(),
            Counted.of(lengths.getCount(), "prompt"),
            lengths.getMin(),
            lengths.getMax(),
            Counted.of(benchmark.rounds(), "round"));
  }

  private String verdict() {
    return sameLogits
        ? "verified: all passes gave the same logits, bit by bit\n"
        : "NOT VERIFIED: not all passes gave the same logits\n";
  }
}
