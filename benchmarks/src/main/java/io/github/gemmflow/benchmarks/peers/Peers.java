// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.peers;

import io.github.gemmflow.system.Lab;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A whole model, run by Gemmflow and by others on the same hosts, in turns. */
@Command(
    name = "benchmarks/peers",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Continues a prompt with a Llama of random weights: with Gemmflow, and with others that you name,"
            + " each with weights in its own format and with one thread on each host of the lab. All take turns, and a"
            + " table has the median of all rounds and the extremes. Needs root.")
public final class Peers implements Callable<Integer> {
  @Option(
      names = "--hosts",
      split = ",",
      defaultValue = "1,2",
      description = "numbers of hosts (default: ${DEFAULT-VALUE})")
  private List<Integer> hosts = new ArrayList<>();

  @Option(
      names = "--rate",
      defaultValue = "1gbit",
      description = "rate of each host's link, each way (default: ${DEFAULT-VALUE})")
  private String rate = "";

  @Option(
      names = "--types",
      split = ",",
      defaultValue = "I8",
      description = "types that Gemmflow multiplies in (default: ${DEFAULT-VALUE})")
  private List<String> types = new ArrayList<>();

  @Option(
      names = "--dllama",
      paramLabel = "PROGRAM",
      description = "distributed-llama's dllama; not run without")
  private @Nullable Path dllama;

  @Option(
      names = "--llama-cpp",
      paramLabel = "DIR",
      description = "directory of llama.cpp's llama-bench and ggml-rpc-server are; not run without")
  private @Nullable Path llamaCpp;

  @Option(
      names = "--jlama",
      description = "includes Jlama, from Maven Central, on one host; not run without")
  private boolean hasJlama;

  @Option(
      names = "--prompt-tokens",
      defaultValue = "132",
      description = "tokens of the prompt (default: ${DEFAULT-VALUE})")
  private int promptTokens;

  @Option(
      names = "--tokens",
      defaultValue = "32",
      description = "tokens after the prompt (default: ${DEFAULT-VALUE})")
  private int tokens;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      description = "rounds (default: ${DEFAULT-VALUE})")
  private int rounds;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description =
          "directory for the models, a few gigabytes, which are kept (default: gemmflow-peers in that for temporary files)")
  private Path directory = Path.of(System.getProperty("java.io.tmpdir"), "gemmflow-peers");

  @ArgGroup(exclusive = false, heading = "Shape of the model:%n")
  private Shape shape = new Shape();

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Peers()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Files.createDirectories(directory);
    List<Peer> peers = peers(new Task(shape, promptTokens, tokens, directory));
    for (Peer peer : peers) {
      System.err.println("writing the model of " + peer.name());
      peer.prepare();
    }
    PeerTable table = new PeerTable();
    for (int round = 0; round < rounds; round++) {
      for (int count : hosts) {
        // One host of two, so that it has its share of the cores, too.
        Lab lab = new Lab(Math.max(2, count), rate);
        lab.up();
        for (Peer peer : peers.stream().filter(p -> p.runsOn(count)).toList()) {
          Speed speed = peer.run(count);
          System.err.printf("round %d, %s, %d hosts: %s%n", round + 1, peer.name(), count, speed);
          table.add(peer.name(), count, speed);
        }
        lab.down();
      }
    }
    System.out.print(table.text());
    return 0;
  }

  private List<Peer> peers(Task task) {
    List<Peer> peers = new ArrayList<>();
    for (String type : types) {
      peers.add(new GemmflowPeer(task, type, true));
      peers.add(new GemmflowPeer(task, type, false));
    }
    if (dllama != null) {
      peers.add(new DllamaPeer(task, dllama.toAbsolutePath()));
    }
    if (llamaCpp != null) {
      for (boolean hasFourBits : List.of(true, false)) {
        for (boolean splitsTensors : List.of(false, true)) {
          peers.add(new LlamaCppPeer(task, llamaCpp.toAbsolutePath(), hasFourBits, splitsTensors));
        }
      }
    }
    if (hasJlama) {
      peers.add(new JlamaPeer(task));
    }
    return peers;
  }
}
