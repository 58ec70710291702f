// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve.http;

import io.github.gemmflow.models.batch.Scheduler;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/** Counters of a server, as Prometheus reads them. Thread-safe. */
final class Metrics {
  private final Map<Integer, LongAdder> answers = new ConcurrentSkipListMap<>();
  private final LongAdder promptTokens = new LongAdder();

  void answer(int status) {
    answers.computeIfAbsent(status, s -> new LongAdder()).increment();
  }

  void prompt(int count) {
    promptTokens.add(count);
  }

  /** All counters as text. */
  String text(Scheduler scheduler) {
    StringBuilder text = new StringBuilder();
    text.append("# TYPE gemmflow_requests_total counter\n");
    answers.forEach(
        (status, count) ->
            text.append(
                "gemmflow_requests_total{status=\"%d\"} %d\n".formatted(status, count.sum())));
    add(text, "gemmflow_prompt_tokens_total", "counter", Long.toString(promptTokens.sum()));
    add(text, "gemmflow_tokens_total", "counter", Long.toString(scheduler.tokens()));
    add(text, "gemmflow_passes_total", "counter", Long.toString(scheduler.passes()));
    String seconds = String.format(Locale.ROOT, "%.6f", scheduler.passNanos() / 1e9);
    add(text, "gemmflow_pass_seconds_total", "counter", seconds);
    add(text, "gemmflow_jobs_going", "gauge", Integer.toString(scheduler.running()));
    add(text, "gemmflow_jobs_waiting", "gauge", Integer.toString(scheduler.waiting()));
    return text.toString();
  }

  private static void add(StringBuilder text, String name, String kind, String value) {
    text.append("# TYPE %s %s\n%s %s\n".formatted(name, kind, name, value));
  }
}
