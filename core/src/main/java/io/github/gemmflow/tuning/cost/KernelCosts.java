// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning.cost;

import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Times of products of one type on one thread, by the size of the weights and by the rows of A.
 * What lies between two that were measured is interpolated; what lies beyond is taken to cost as
 * much for each element as the last.
 */
public final class KernelCosts {
  private final NavigableMap<Long, NavigableMap<Long, Double>> nanosOf = new TreeMap<>();

  /**
   * A table.
   *
   * @param nanos the time of a product, by elements of the weights and then rows of A
   */
  public KernelCosts(Map<Long, ? extends Map<Long, Double>> nanos) {
    if (nanos.isEmpty()) {
      throw new IllegalArgumentException("no product was measured");
    }
    nanos.forEach((elements, byRows) -> nanosOf.put(elements, checked(elements, byRows)));
  }

  private static NavigableMap<Long, Double> checked(long elements, Map<Long, Double> byRows) {
    if (elements < 1 || byRows.isEmpty()) {
      throw new IllegalArgumentException(
          "weights of %d elements and %d heights were not measured"
              .formatted(elements, byRows.size()));
    }
    byRows.forEach(
        (rows, nanos) -> {
          Costs.check("the time of a product", nanos);
          if (rows < 1) {
            throw new IllegalArgumentException("a product cannot have %d rows".formatted(rows));
          }
        });
    return new TreeMap<>(byRows);
  }

  /** The time of a product of so many rows with weights of so many inputs and outputs. */
  public double nanos(long rows, long inputs, long outputs) {
    double elements = (double) inputs * outputs;
    if (rows == 0 || elements == 0) {
      return 0;
    }
    Map.Entry<Long, NavigableMap<Long, Double>> below = nanosOf.floorEntry((long) elements);
    Map.Entry<Long, NavigableMap<Long, Double>> above = nanosOf.ceilingEntry((long) elements);
    if (below == null || above == null) {
      Map.Entry<Long, NavigableMap<Long, Double>> nearest = below == null ? above : below;
      return perElement(nearest, rows) * elements;
    }
    double share = share(below.getKey(), elements, above.getKey());
    return elements * between(perElement(below, rows), perElement(above, rows), share);
  }

  /**
   * The time of a product whose weights no cache holds, because other layers were used since: as
   * much for each element as those of the largest weights that were measured.
   */
  public double coldNanos(long rows, long inputs, long outputs) {
    return rows == 0 ? 0 : perElement(nanosOf.lastEntry(), rows) * inputs * outputs;
  }

  private static double perElement(Map.Entry<Long, NavigableMap<Long, Double>> size, long rows) {
    NavigableMap<Long, Double> byRows = size.getValue();
    Map.Entry<Long, Double> below = byRows.floorEntry(rows);
    Map.Entry<Long, Double> above = byRows.ceilingEntry(rows);
    double nanos;
    if (below == null) {
      // Few rows cost as much as the fewest that were measured: all weights are read.
      nanos = above.getValue();
    } else if (above == null) {
      nanos = below.getValue() * rows / below.getKey();
    } else {
      nanos =
          between(
              below.getValue(),
              above.getValue(),
              share(below.getKey(), (double) rows, above.getKey()));
    }
    return nanos / size.getKey();
  }

  /** Where a value lies between two others, by their ratios: 0 at the lower, 1 at the upper. */
  private static double share(double below, double value, double above) {
    return below == above ? 0 : Math.log(value / below) / Math.log(above / below);
  }

  private static double between(double below, double above, double share) {
    return below * Math.pow(above / below, share);
  }

  /** The sizes of weights that were measured, in elements. */
  public List<Long> sizes() {
    return List.copyOf(nanosOf.keySet());
  }

  /** What was measured with weights of a size: the time, by rows of A. */
  public Map<Long, Double> ofSize(long elements) {
    return new TreeMap<>(nanosOf.getOrDefault(elements, new TreeMap<>()));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KernelCosts costs && nanosOf.equals(costs.nanosOf);
  }

  @Override
  public int hashCode() {
    return nanosOf.hashCode();
  }

  @Override
  public String toString() {
    return nanosOf.toString();
  }
}
