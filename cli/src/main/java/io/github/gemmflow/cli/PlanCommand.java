// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import io.github.gemmflow.cli.job.ExitCode;
import io.github.gemmflow.cli.job.RankOptions;
import io.github.gemmflow.cli.job.Subcommand;
import io.github.gemmflow.matrix.Shards;
import io.github.gemmflow.measure.layer.Layer;
import io.github.gemmflow.measure.layer.Operation;
import io.github.gemmflow.measure.predict.LayerPrediction;
import io.github.gemmflow.pipeline.WindowSize;
import io.github.gemmflow.plan.Capacity;
import io.github.gemmflow.plan.GatherLayout;
import io.github.gemmflow.plan.GatherPlan;
import io.github.gemmflow.plan.GatherProblem;
import io.github.gemmflow.plan.HostTraffic;
import io.github.gemmflow.plan.Layout;
import io.github.gemmflow.plan.SumLayout;
import io.github.gemmflow.plan.SumPlan;
import io.github.gemmflow.plan.SumProblem;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Tuning;
import java.util.stream.LongStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code gemmflow plan}: what would be done, and why. */
@Command(
    name = "plan",
    header = "Shows how a product would be computed, and why.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Nothing is started and nothing is measured: the plan depends on the shape, on which ranks share a host,"
            + " and on settings. With -v, it also shows which rank sends which rows to which rank. For more than 16"
            + " ranks, it prints a summary instead: bytes, messages and shared memory of a step, per host.%n",
    footer = {"%nExample:", "  gemmflow plan -n 8 --hosts 2 --gm 4096 --gk 8192 --gn 1024 -v"})
final class PlanCommand extends Subcommand {
  @Option(
      names = {"-n", "--ranks"},
      defaultValue = "2",
      paramLabel = "N",
      description = "number of ranks (default: 2)")
  private int ranks;

  @Option(
      names = "--hosts",
      defaultValue = "1",
      description = "number of hosts, each with consecutive ranks (default: 1)")
  private int hostCount;

  @Mixin private OperationOptions operation = new OperationOptions();
  @Mixin private ShapeOptions shape = new ShapeOptions();
  @Mixin private TuningOptions tuning = new TuningOptions();

  @Override
  public Integer call() {
    Hosts hosts = Hosts.of(RankOptions.spread(ranks, hostCount));
    Tuning settings = tuning.config().tuning();
    Layer.Size size = shape.of(operation.value(), operation.wire());
    output()
        .say(size.operation().isSum() ? sum(size, hosts, settings) : gather(size, hosts, settings));
    return ExitCode.GOOD.number();
  }

  private String gather(Layer.Size size, Hosts hosts, Tuning settings) {
    long rowBytes = LayerPrediction.rowBytes(size);
    Capacity capacity = Capacity.of(size.m(), rowBytes, settings);
    GatherPlan plan = GatherPlan.of(GatherProblem.alongRows(rowBytes, capacity), hosts, settings);
    GatherLayout step = plan.step();
    step.lay(Shards.of(size.m(), ranks).sizes());
    return plan.explain()
        + (isLong(hosts)
            ? PlanSummary.of(
                hosts, HostTraffic.of(step), host -> WindowSize.bytes(hosts, host, capacity))
            : who(step));
  }

  private static boolean isLong(Hosts hosts) {
    return hosts.ranks() > Hosts.MOST_TO_LIST;
  }

  /** Who sends what to whom, if somebody wants to know. */
  private String who(Layout step) {
    return output().isVerbose() ? step.toString() : "";
  }

  private String sum(Layer.Size size, Hosts hosts, Tuning settings) {
    boolean scattered = size.operation() == Operation.REDUCE_SCATTER;
    SumProblem problem =
        new SumProblem(size.n(), LayerPrediction.rowBytes(size), scattered, size.m());
    SumPlan plan = SumPlan.of(problem, hosts, settings);
    SumLayout step = plan.step();
    long[] sameRows = LongStream.generate(size::m).limit(ranks).toArray();
    step.lay(scattered ? Shards.of(size.m(), ranks).sizes() : sameRows);
    Capacity capacity = Capacity.of(size.m(), 0, settings);
    return plan.explain()
        + (isLong(hosts)
            ? PlanSummary.of(
                hosts,
                HostTraffic.of(step),
                host -> WindowSize.bytes(hosts, host, capacity) + WindowSize.sumBytes(plan, host))
            : who(step));
  }
}
