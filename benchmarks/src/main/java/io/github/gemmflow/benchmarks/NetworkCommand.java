// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks;

import io.github.gemmflow.system.Lab;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A linear layer over several hosts, against what one would use instead. */
@Command(
    name = "network",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Compares a linear layer over hosts of the lab with what one would use instead. Needs root.")
final class NetworkCommand implements Callable<Integer> {
  @Mixin private LayerOptions options = new LayerOptions();

  @Option(names = "--hosts", defaultValue = "2", description = "number of lab hosts (default: 2)")
  private int hosts;

  @Option(
      names = "--rate",
      defaultValue = "1gbit",
      description = {
        "rate of each host's link, each way, or none for no limit; or memory: ranks of this host that act as hosts,",
        "between which MPI uses shared memory, as a stand-in for fast fabrics (default: 1gbit)"
      })
  private String rate = "";

  @Override
  public Integer call() throws IOException, InterruptedException {
    Lab lab = new Lab(hosts, rate);
    lab.up();
    try {
      return new LayerComparison(options, lab, hosts).run();
    } finally {
      lab.down();
    }
  }
}
