// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks;

import io.github.gemmflow.json.Json;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.measure.Samples;
import io.github.gemmflow.measure.View;
import io.github.gemmflow.onednn.OneDnnLibrary;
import io.github.gemmflow.system.Job;
import io.github.gemmflow.system.Lab;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A linear layer, one after the other and pipelined, and rivals of it, interleaved in an order that
 * turns from round to round. A ratio is the median over rounds of the pipelined layer's time to
 * another's.
 */
final class LayerComparison {
  /** The pipelined layer against itself. */
  private static final String CONTROL = "control";

  private static final int WARM_UP = 3;

  private final LayerOptions options;
  private final Lab lab;
  private final int hosts;
  private final Map<String, Pipes> rivals = new LinkedHashMap<>();

  LayerComparison(LayerOptions options, Lab lab, int hosts) {
    this.options = options;
    this.lab = lab;
    this.hosts = hosts;
  }

  int run() throws IOException, InterruptedException {
    List<Map<String, Object>> figures = new ArrayList<>();
    try (Contest contest = new Contest(options.ranks)) {
      Job job =
          new Job(options.mpi, options.ranks, hosts)
              .pretendsHosts(lab.isPretended())
              .java(options.javaOptions);
      LayerStarter starter = new LayerStarter(options, contest, job);
      Ours ours = start(starter);
      for (String rival : options.rivals) {
        rivals.put(rival, starter.start(rival));
      }
      System.out.printf(
          "%s, ranks: %d, hosts: %d, %s, 1 thread per rank, %d rounds%n",
          options.mpi, options.ranks, hosts, options.type, options.rounds);
      warnOfConversion();
      for (long m : options.ms) {
        for (long n : options.ns) {
          figures.add(compare(ours, m, n));
        }
      }
    }
    Path json = options.json;
    if (json != null) {
      Files.writeString(json, Json.write(figures) + "\n");
    }
    return 0;
  }

  /**
   * Our layer: what is compared with all rivals, the same one after the other, and once more as a
   * control. They are one job, unless a rival is our layer, too: Java compiles what runs often, so
   * each has a job of its own then, in which as many steps run.
   */
  private record Ours(Pipes pipelined, Pipes sequential, Pipes control) {}

  private Ours start(LayerStarter starter) throws IOException, InterruptedException {
    Pipes pipelined = starter.startOurs(Commands.NAME);
    return options.rivals.stream().anyMatch(LayerOptions::isOurs)
        ? new Ours(pipelined, starter.startOurs("sequential"), starter.startOurs(CONTROL))
        : new Ours(pipelined, pipelined, pipelined);
  }

  /** Without instructions for a type oneDNN is slow, and so is a rival that uses it as it is. */
  private void warnOfConversion() {
    if (OneDnnLibrary.load().slowTypes().contains(options.type)) {
      System.out.printf(
          "This CPU has no instructions for %s: Gemmflow multiplies it as F32, rivals on oneDNN's slow path. Compare with --dtype F32.%n",
          options.type);
    }
  }

  /** Who runs the layer, and what was measured of it. */
  private final class Contender {
    private final String name;
    private final Pipes pipes;
    private final String command;
    private final List<Long> stepNanos = new ArrayList<>();
    private final List<Double> carried = new ArrayList<>();
    private long rowBytes;

    Contender(String name, Pipes pipes, String command) {
      this.name = name;
      this.pipes = pipes;
      this.command = command;
    }

    /** Runs some steps; returns the nanoseconds that they took. */
    long run(long m, long n, int times) throws IOException {
      long before = lab.bytesIntoFirstHost();
      Pipes.Time time = pipes.run(command, options.operation.name(), m, options.k, n, times);
      double needed = neededBytes(options.typeOf(name), m, n);
      carried.add((lab.bytesIntoFirstHost() - before) / needed / times);
      stepNanos.addAll(time.steps());
      rowBytes = time.extra();
      return time.nanos();
    }

    void forget() {
      stepNanos.clear();
      carried.clear();
    }

    double micros(double share) {
      return Samples.quantile(stepNanos, share) / 1e3;
    }

    /** How many times the rows that had to come into the first host its link carried. */
    double carried() {
      return Samples.quantile(carried, 0.5);
    }
  }

  /** The least that has to come into the first host in a step: rows, or sums, of all others. */
  private double neededBytes(DType type, long m, long n) {
    long there = m * (options.ranks / hosts) / options.ranks;
    double sumBytes = (double) n * Float.BYTES * (hosts - 1);
    return switch (options.operation) {
      case GATHER -> (double) (m - there) * rowBytes(type);
      case REDUCE_SCATTER -> there * sumBytes;
      // Its part of the sums of all others, and their sums of the rest.
      case ALL_REDUCE -> 2 * m * sumBytes / hosts;
      case ALL_GATHER ->
          throw new IllegalArgumentException("benchmarks/allgather is for gathers alone");
    };
  }

  private long rowBytes(DType type) {
    return options.k * type.bytes() + (type.isReal() ? 0 : Float.BYTES);
  }

  /** What of ours is compared. */
  private View view() {
    return options.collective ? View.COMM_ONLY : View.PIPELINED;
  }

  /** What a rival from elsewhere is asked for. */
  private String rivalCommand(String rival) {
    return options.collective ? rival + "-collective" : rival;
  }

  private Map<String, Object> compare(Ours ours, long m, long n)
      throws IOException, InterruptedException {
    verify(ours.pipelined, m, n);
    if (!ours.control.equals(ours.pipelined)) {
      verify(ours.sequential, m, n);
      verify(ours.control, m, n);
    }
    for (Map.Entry<String, Pipes> rival : rivals.entrySet()) {
      if (LayerOptions.isOurs(rival.getKey())) {
        verify(rival.getValue(), m, n);
      }
    }
    Contender pipelined = new Contender(view().toString(), ours.pipelined, view().name());
    List<Contender> contenders = new ArrayList<>();
    rivals.forEach(
        (name, pipes) ->
            contenders.add(
                new Contender(
                    name, pipes, LayerOptions.isOurs(name) ? view().name() : rivalCommand(name))));
    if (!options.collective) {
      contenders.add(new Contender("sequential", ours.sequential, View.SEQUENTIAL.name()));
    }
    contenders.add(new Contender(CONTROL, ours.control, view().name()));
    contenders.add(pipelined);
    int times = times(pipelined, m, n);
    List<Comparison> comparisons = new ArrayList<>();
    List<Turns.Measurement> measurements = new ArrayList<>();
    for (Contender contender : contenders) {
      comparisons.add(new Comparison(contender.name, options.limit));
      measurements.add(() -> contender.run(m, n, times));
    }
    for (int round = 0; round < WARM_UP + options.rounds; round++) {
      if (round == WARM_UP) {
        contenders.forEach(Contender::forget);
      }
      long[] nanos = Turns.take(round, measurements);
      long ofPipelined = nanos[nanos.length - 1];
      for (int i = 0; round >= WARM_UP && i < nanos.length; i++) {
        comparisons.get(i).add(ofPipelined, nanos[i], times);
      }
    }
    return report(contenders, comparisons, m, n, times);
  }

  /** Nothing is said about the speed of a job of ours whose results are wrong. */
  private void verify(Pipes job, long m, long n) throws IOException {
    for (View view : List.of(View.SEQUENTIAL, View.PIPELINED)) {
      if (job.run(view.name(), options.operation.name(), m, options.k, n, 0).extra() != 0) {
        throw new IOException("%s, %d x %d x %d: wrong results".formatted(view, m, options.k, n));
      }
    }
  }

  /** As many as are asked for, or enough for about 20 ms. */
  private int times(Contender pipelined, long m, long n) throws IOException {
    if (options.steps > 0) {
      return Math.ceilDiv(options.steps, options.rounds);
    }
    long best = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      best = Math.min(best, pipelined.run(m, n, 1));
    }
    return Math.clamp(20_000_000 / Math.max(1, best), 1, 500);
  }

  private Map<String, Object> report(
      List<Contender> contenders, List<Comparison> comparisons, long m, long n, int times) {
    System.out.printf(
        "%s %d x %d x %d, %d per measurement%n", options.operation, m, options.k, n, times);
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("operation", options.operation.toString());
    figures.put("m", m);
    figures.put("k", options.k);
    figures.put("n", n);
    figures.put("ranks", options.ranks);
    figures.put("hosts", hosts);
    Comparison control = comparisons.get(comparisons.size() - 2);
    for (int i = 0; i < contenders.size(); i++) {
      Contender contender = contenders.get(i);
      Comparison comparison = comparisons.get(i);
      boolean isRival = i < contenders.size() - 2;
      System.out.printf(
          Locale.ROOT,
          "  %-22s p50 %11.1f us, p99 %11.1f us%s%s%n",
          contender.name,
          contender.micros(0.5),
          contender.micros(0.99),
          i == contenders.size() - 1
              ? ""
              : String.format(
                  Locale.ROOT,
                  "   %s takes %.3f of that%s",
                  view(),
                  comparison.ratio(),
                  isRival ? " " + comparison.judged(control) : ""),
          memory(contender) + links(contender));
      Map<String, Object> micros = new LinkedHashMap<>();
      micros.put("p50Micros", contender.micros(0.5));
      micros.put("p99Micros", contender.micros(0.99));
      comparison.putRatio(micros, "pipelinedTakes", control);
      micros.put("rowBytes", contender.rowBytes);
      if (lab.hasLinks()) {
        micros.put("linkCarried", contender.carried());
      }
      figures.put(contender.name, micros);
    }
    return figures;
  }

  /** Rivals do not say. */
  private static String memory(Contender contender) {
    return contender.rowBytes == 0
        ? ""
        : String.format(Locale.ROOT, "; %.1f MB for rows", contender.rowBytes / 1e6);
  }

  private String links(Contender contender) {
    if (!lab.hasLinks()) {
      return "";
    }
    return String.format(
        Locale.ROOT,
        "; the link carried %.3f x its rows%s",
        contender.carried(),
        contender.carried() >= 1 ? "" : ": VOID");
  }
}
