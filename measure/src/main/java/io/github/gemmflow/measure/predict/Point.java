// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.predict;

import io.github.gemmflow.simulator.SimulatedStep;
import io.github.gemmflow.tuning.Hosts;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Point of a curve over ranks.
 *
 * @param millis of a step or pass
 * @param limit what limits it, for a person
 * @param bytesIntoHost over the link of a host
 * @param sharedBytes of a host's shared memory
 * @param weightBytes of a host
 */
public record Point(
    int ranks,
    int hosts,
    double millis,
    String limit,
    long bytesIntoHost,
    long sharedBytes,
    long weightBytes) {
  /**
   * On the ranks of some hosts.
   *
   * @param weightBytes of each rank
   */
  static Point of(
      Hosts hosts,
      double millis,
      SimulatedStep.Limit limit,
      long bytesIntoHost,
      long sharedBytes,
      long weightBytes) {
    return new Point(
        hosts.ranks(),
        hosts.count(),
        millis,
        limit.toString(),
        bytesIntoHost,
        sharedBytes,
        weightBytes * hosts.size(0));
  }

  Map<String, Object> json(Point first) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("ranks", ranks);
    fields.put("hosts", hosts);
    fields.put("ms", millis);
    fields.put("speedup", first.millis / millis);
    fields.put("limit", limit);
    fields.put("bytesIntoHost", bytesIntoHost);
    fields.put("sharedBytes", sharedBytes);
    fields.put("weightBytes", weightBytes);
    return fields;
  }
}
