// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning.cost;

import java.util.Map;
import java.util.TreeMap;

/**
 * Costs of the machines and links of a job, from which the time of a step is predicted. {@code
 * gemmflow calibrate} measures them. All ranks of a job have the same: what is chosen by them is
 * chosen alike.
 *
 * @param origin where they are from: what was measured when, or that nothing was
 * @param machine the key of the machine that they were measured on; empty if nothing was measured
 * @param threads of each rank that multiply, for which a product's times are
 * @param cores that a rank may use; one more than threads, and its communication thread has one
 * @param link of each host
 * @param host of each rank
 * @param kernels times of products, by the name of their type
 * @param tried steps that were tried in several ways, by {@link TriedStep#key}
 */
public record CostModel(
    String origin,
    String machine,
    int threads,
    int cores,
    LinkCosts link,
    HostCosts host,
    Map<String, KernelCosts> kernels,
    Map<String, TriedStep> tried) {
  /**
   * Costs that nobody measured: of one core with AVX-512, and Ethernet of 1 Gbit/s. They are of the
   * right order, not more.
   */
  public static final CostModel ASSUMED =
      new CostModel(
          "assumed, not measured: gemmflow calibrate measures this machine",
          "",
          1,
          1,
          LinkCosts.of(60e3, 0.94e9),
          new HostCosts(20e3, 30e3, 3e3, 0.4, 0.15),
          Map.of(
              "F32", assumed(4, 45),
              "F16", assumed(2, 45),
              "BF16", assumed(2, 60),
              "I8", assumed(1, 120)));

  /** Costs of a job in which no step was tried. */
  public CostModel(
      String origin,
      String machine,
      int threads,
      int cores,
      LinkCosts link,
      HostCosts host,
      Map<String, KernelCosts> kernels) {
    this(origin, machine, threads, cores, link, host, kernels, Map.of());
  }

  public CostModel {
    kernels = Map.copyOf(kernels);
    tried = Map.copyOf(tried);
    if (threads < 1) {
      throw new IllegalArgumentException("%d threads cannot multiply".formatted(threads));
    }
    if (cores < 1) {
      throw new IllegalArgumentException("a rank cannot have %d cores".formatted(cores));
    }
    if (kernels.isEmpty()) {
      throw new IllegalArgumentException("the costs have no product of any type");
    }
  }

  /**
   * Weights come from memory at 9 GB/s, and are then multiplied at so many operations a nanosecond.
   */
  private static KernelCosts assumed(int bytes, double perNano) {
    Map<Long, Map<Long, Double>> table = new TreeMap<>();
    long elements = 1L << 22;
    Map<Long, Double> byRows = new TreeMap<>();
    for (long rows = 1; rows <= 1024; rows *= 2) {
      byRows.put(rows, elements * bytes / 9.0 + 2.0 * elements * rows / perNano);
    }
    table.put(elements, byRows);
    return new KernelCosts(table);
  }

  /** Whether the communication thread of a rank has a core beside those that multiply. */
  public boolean hasCoreToSpare() {
    return cores > threads;
  }

  /** Whether they were measured. */
  public boolean isMeasured() {
    return !machine.isEmpty();
  }

  /**
   * Times of products of a type.
   *
   * @throws IllegalArgumentException if there are none of that type
   */
  public KernelCosts kernel(String type) {
    KernelCosts found = kernels.get(type);
    if (found == null) {
      throw new IllegalArgumentException(
          "the costs have no products of %s, only of %s: measure them with gemmflow calibrate"
              .formatted(type, new TreeMap<>(kernels).keySet()));
    }
    return found;
  }

  /** The same with another link. */
  public CostModel withLink(LinkCosts other) {
    return new CostModel(origin, machine, threads, cores, other, host, kernels, tried);
  }

  /** The same with a link that was measured as the job began. */
  public CostModel withMeasuredLink(LinkCosts measured) {
    String with =
        "%s. Only the links were measured, as the job began: %s".formatted(origin, measured);
    return new CostModel(with, machine, threads, cores, measured, host, kernels, tried);
  }

  /** The same with a step that was tried, in place of an earlier try. */
  public CostModel withTried(String key, TriedStep step) {
    Map<String, TriedStep> all = new TreeMap<>(tried);
    all.put(key, step);
    return new CostModel(origin, machine, threads, cores, link, host, kernels, all);
  }

  /** The same without the trial of a step. */
  public CostModel withoutTried(String key) {
    Map<String, TriedStep> rest = new TreeMap<>(tried);
    rest.remove(key);
    return new CostModel(origin, machine, threads, cores, link, host, kernels, rest);
  }

  @Override
  public String toString() {
    return origin;
  }
}
