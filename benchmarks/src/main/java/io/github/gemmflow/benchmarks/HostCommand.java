// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks;

import io.github.gemmflow.system.Lab;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** A linear layer on one host, against what one would use instead. */
@Command(
    name = "host",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Compares a linear layer on this host with what one would use instead.")
final class HostCommand implements Callable<Integer> {
  @Mixin private LayerOptions options = new LayerOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    return new LayerComparison(options, new Lab(1), 1).run();
  }
}
