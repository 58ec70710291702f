// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.calibrate;

import io.github.gemmflow.Group;
import io.github.gemmflow.ReplicaGroups;
import io.github.gemmflow.World;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.measure.Counted;
import io.github.gemmflow.measure.Progress;
import io.github.gemmflow.tuning.Chunking;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.HostCosts;
import io.github.gemmflow.tuning.cost.KernelCosts;
import io.github.gemmflow.tuning.cost.LinkCosts;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Measurement of the costs of a job's machines and links, on all its ranks. */
public final class Calibration {
  private final World world;
  private final Progress progress;
  private final List<DType> types;
  private int done;

  private Calibration(World world, List<DType> types, Progress progress) {
    this.world = world;
    this.types = types;
    this.progress = progress;
  }

  /** Measures; all ranks get the same. Collective. */
  public static CostModel measure(World world, List<DType> types, Progress progress) {
    return new Calibration(world, types, progress).measure();
  }

  private CostModel measure() {
    try (Group single = world.split(ReplicaGroups.ofSize(1));
        Stopwatch watch = new Stopwatch(world)) {
      ProductTimes products = new ProductTimes(world, single, watch);
      Map<String, KernelCosts> kernels = new TreeMap<>();
      for (DType type : types) {
        tell();
        kernels.put(type.toString(), products.measure(type));
      }
      tell();
      double step = products.stepNanos();
      double add = SumTimes.nanosPerByte(single, watch);
      double wake = watch.mean(WakeTime.nanos());
      tell();
      boolean hasLinks = world.group().hosts().count() > 1;
      CostModel assumed = CostModel.ASSUMED;
      HostCosts alone =
          new HostCosts(
              step, wake, assumed.host().messageNanos(), assumed.host().carryNanosPerByte(), add);
      return hasLinks
          ? withLinks(kernels, alone, new LinkTimes(world.group(), watch))
          : model(", link assumed", kernels, alone, assumed.link());
    }
  }

  private CostModel withLinks(Map<String, KernelCosts> kernels, HostCosts alone, LinkTimes links) {
    double perByte = links.nanosPerByte();
    LinkCosts rate = new LinkCosts(CostModel.ASSUMED.link().latencyNanos(), perByte);
    LinkTimes.Carrying carrying = links.carrying(Chunking.BY_RULE.on(rate).bytes());
    HostCosts host =
        new HostCosts(
            alone.stepNanos(),
            alone.wakeNanos(),
            carrying.messageNanos(),
            carrying.nanosPerByte(),
            alone.addNanosPerByte());
    double handling = alone.stepNanos() + alone.wakeNanos() + 2 * carrying.messageNanos();
    double latency = Math.max(1000, links.shortestNanos() - handling);
    return model("", kernels, host, new LinkCosts(latency, perByte));
  }

  private CostModel model(
      String but, Map<String, KernelCosts> kernels, HostCosts host, LinkCosts link) {
    String origin =
        "measured %s, %s on %s, %s%s"
            .formatted(
                Instant.now().truncatedTo(ChronoUnit.SECONDS),
                Counted.of(world.size(), "rank"),
                Counted.of(world.group().hosts().count(), "host"),
                world.engineName(),
                but);
    return new CostModel(
        origin, world.machineKey(), world.config().threads(), coresPerRank(), link, host, kernels);
  }

  /** Of rank 0, whose host has as many as any other, as far as anybody knows. */
  private int coresPerRank() {
    byte[] mine = ByteBuffer.allocate(Integer.BYTES).putInt(coresOfThisRank()).array();
    return ByteBuffer.wrap(world.group().broadcast(0, mine)).getInt();
  }

  private int coresOfThisRank() {
    Hosts hosts = world.group().hosts();
    int ranks = hosts.size(hosts.hostOf(world.rank()));
    return Math.max(1, Runtime.getRuntime().availableProcessors() / ranks);
  }

  private void tell() {
    progress.at("measuring", done++, types.size() + 2L, Progress.Unit.ROUNDS);
  }
}
