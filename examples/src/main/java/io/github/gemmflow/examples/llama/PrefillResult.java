// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.llama;

import io.github.gemmflow.bench.Recording;
import java.util.IntSummaryStatistics;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link PrefillBenchmark} found; the same on all ranks.
 *
 * @param threads that multiply in each rank
 * @param sameLogits whether all passes gave the same logits, bit by bit
 * @param recording a pipelined prefill; null if not asked for
 */
record PrefillResult(
    PrefillBenchmark benchmark,
    LlamaConfig config,
    int ranks,
    int hosts,
    int threads,
    String engine,
    String kernel,
    PrefillTimes times,
    boolean sameLogits,
    @Nullable Recording recording) {

  /** A table for a person. */
  String text() {
    return job() + model() + prompts() + times.text() + verdict();
  }

  private String job() {
    return "%d rank(s) on %d host(s), %d thread(s) each, %s, %s, kernel %s%n"
        .formatted(ranks, hosts, threads, benchmark.type(), engine, kernel);
  }

  private String model() {
    return "%d layer(s), hidden %d, intermediate %d, %d heads, %d of keys and values, vocabulary %d%n"
        .formatted(
            config.layers(),
            config.hidden(),
            config.intermediate(),
            config.heads(),
            config.kvHeads(),
            config.vocabulary());
  }

  private String prompts() {
    IntSummaryStatistics lengths =
        benchmark.prompts().stream().mapToInt(prompt -> prompt.length).summaryStatistics();
    return "%d rows: %d prompt(s) of %d to %d tokens; %d round(s)%n"
        .formatted(
            lengths.getSum(),
            lengths.getCount(),
            lengths.getMin(),
            lengths.getMax(),
            benchmark.rounds());
  }

  private String verdict() {
    return sameLogits
        ? "verified: all passes gave the same logits, bit by bit\n"
        : "NOT VERIFIED: not all passes gave the same logits\n";
  }
}
