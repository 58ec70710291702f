// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.tune;

import io.github.gemmflow.measure.layer.Layer;
import io.github.gemmflow.measure.layer.Operation;
import io.github.gemmflow.measure.predict.LayerPrediction;
import io.github.gemmflow.tuning.Chunking;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.SumPath;
import io.github.gemmflow.tuning.Tuning;
import io.github.gemmflow.tuning.cost.TriedStep;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Way that the rows or sums of a step may go.
 *
 * @param way the name of a schedule, or of a path of sums
 * @param chunkBytes that travel together, at most
 * @param tuning that asks for it
 * @param predictedNanos of the step
 */
record Candidate(String way, long chunkBytes, Tuning tuning, double predictedNanos) {
  /** Bytes of chunks, as shares of what travels without a handshake, and multiples of it. */
  private static final double[] CHUNKS = {0.25, 0.5, 1, 2, 8, 32};

  /** What the rules choose. */
  static Candidate byRule(Layer.Size size, Hosts hosts, Tuning settings) {
    long bytes = Math.max(1, settings.chunking().on(settings.costs().link()).bytes());
    return of(TriedStep.BY_RULE, bytes, settings, size, hosts);
  }

  /**
   * The few that are predicted to be the best, the best first.
   *
   * @param size the layer of a rank
   * @param settings what operators start from
   */
  static List<Candidate> best(Layer.Size size, Hosts hosts, Tuning settings, int few) {
    List<Candidate> all = new ArrayList<>();
    for (double share : CHUNKS) {
      long bytes = (long) (share * Chunking.SLOW_BYTES);
      Tuning tuning = settings.withChunkBytes(bytes);
      if (size.operation() == Operation.GATHER) {
        for (Schedule schedule : schedules(hosts)) {
          all.add(of(schedule.name(), bytes, tuning.withSchedule(schedule), size, hosts));
        }
      } else {
        for (SumPath path : paths(size, hosts)) {
          all.add(of(path.toString(), bytes, tuning.withSums(path), size, hosts));
        }
      }
    }
    all.sort(Comparator.comparingDouble(Candidate::predictedNanos));
    return List.copyOf(all.subList(0, Math.min(few, all.size())));
  }

  private static Candidate of(String way, long bytes, Tuning tuning, Layer.Size size, Hosts hosts) {
    double nanos = LayerPrediction.of(size, hosts, tuning, tuning.costs()).step().nanos();
    return new Candidate(way, bytes, tuning, nanos);
  }

  /** Between 2 hosts there is only one. */
  private static List<Schedule> schedules(Hosts hosts) {
    return hosts.count() > 2 ? Schedule.ALL : List.of(Schedule.MESH);
  }

  private static List<SumPath> paths(Layer.Size size, Hosts hosts) {
    boolean mayBeStaged = size.operation() == Operation.ALL_REDUCE && hosts.count() > 2;
    return mayBeStaged ? Arrays.asList(SumPath.values()) : List.of(SumPath.DIRECT);
  }
}
