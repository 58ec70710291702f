// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.predictions;

import io.github.gemmflow.benchmarks.peers.Programs;
import io.github.gemmflow.measure.predict.CostsFile;
import io.github.gemmflow.system.Lab;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.CostText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Hosts to measure on: several of the lab with a rank each, or this machine with two.
 *
 * @param rate of each link; empty on one host; or {@link #MEMORY}
 * @param rows of layers to measure there, fewest first
 */
record Place(int hosts, String rate, List<Long> rows) {
  /** The stand-in for fast fabrics: ranks of this machine that take themselves for hosts. */
  private static final String MEMORY = "memory";

  private static final int RANKS_ON_ONE_HOST = 2;

  /** A job from which a hypervisor takes more than this share of the machine is run again. */
  private static final double MOST_STOLEN = 0.03;

  private static final int MOST_RUNS = 5;

  /** A place such as 1, 2x1gbit, 2xmemory, or 2x100mbit:1+16+512, which names its rows. */
  static Place parse(String text, List<Long> rows) {
    String[] parts = text.split("[x:]", 3);
    List<Long> here =
        text.contains(":")
            ? Arrays.stream(parts[parts.length - 1].split("\\+")).map(Long::valueOf).toList()
            : rows;
    return text.contains("x")
        ? new Place(Integer.parseInt(parts[0]), parts[1], here)
        : new Place(1, "", here);
  }

  /** The hosts, each with its ranks. */
  Hosts placement() {
    return hosts == 1
        ? Hosts.single(RANKS_ON_ONE_HOST)
        : Hosts.of(IntStream.range(0, hosts).toArray());
  }

  void up() {
    if (hosts > 1 && !rate.equals(MEMORY)) {
      new Lab(hosts, rate).up();
    }
  }

  /** Runs the command of a fresh checkout on all ranks, whose rules choose by costs. */
  void run(List<String> words, CostModel costs) throws IOException, InterruptedException {
    Path file = Files.createTempFile("gemmflow-costs-", ".txt");
    try {
      Files.writeString(file, CostText.write(costs));
      run(words, "GEMMFLOW_COSTS=" + file);
    } finally {
      Files.delete(file);
    }
  }

  private void run(List<String> words, String setting) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    String gemmflow = Path.of(Lab.program()).resolveSibling("../gemmflow").normalize().toString();
    if (rate.equals(MEMORY)) {
      String count = Integer.toString(hosts);
      command.addAll(List.of(Lab.program(), "pretend", "openmpi", "--hosts", count, "-n", count));
      command.addAll(List.of("env", setting, gemmflow));
      command.addAll(words);
    } else if (hosts > 1) {
      command.addAll(List.of(Lab.program(), "mpirun", "openmpi", "-n", Integer.toString(hosts)));
      command.addAll(List.of("-x", setting, gemmflow));
      command.addAll(words);
    } else {
      command.addAll(List.of("env", setting, gemmflow));
      command.addAll(words);
      command.addAll(List.of("-n", Integer.toString(RANKS_ON_ONE_HOST)));
    }
    runUndisturbed(command);
  }

  /** Runs a command until it had the machine to itself, or often enough. */
  private static void runUndisturbed(List<String> command)
      throws IOException, InterruptedException {
    double stolen = 1;
    for (int runs = 0; runs < MOST_RUNS && stolen > MOST_STOLEN; runs++) {
      StolenTime before = StolenTime.now();
      Programs.run(command);
      stolen = StolenTime.now().shareSince(before);
      if (stolen > MOST_STOLEN) {
        System.out.printf(
            Locale.ROOT,
            "run %d of %s: %.0f %% of the machine's time went to others%n",
            runs + 1,
            String.join(" ", command),
            100 * stolen);
      }
    }
  }

  CostModel calibrate(Path directory) throws IOException, InterruptedException {
    Path file = directory.resolve("costs-%s.txt".formatted(toString().replace(' ', '-')));
    run(List.of("calibrate", "--dtypes", "F32,I8", "-o", file.toString()), CostModel.ASSUMED);
    return CostsFile.read(file);
  }

  @Override
  public String toString() {
    return hosts == 1 ? "1 host, 2 ranks" : "%d hosts, %s".formatted(hosts, rate);
  }
}
