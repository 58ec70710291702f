// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * llama.cpp, with weights of four or eight bits. Its hosts have a part of the layers each, or a
 * part of each tensor (RPC).
 *
 * @param splitsTensors whether each host has a part of each tensor
 * @param programs the directory of its {@code llama-bench} and {@code ggml-rpc-server}
 */
record LlamaCppPeer(Task task, Path programs, boolean hasFourBits, boolean splitsTensors)
    implements Peer {
  private static final int PORT = 50052;

  @Override
  public String name() {
    return "llama.cpp %s%s"
        .formatted(hasFourBits ? "Q4_0" : "Q8_0", splitsTensors ? ", tensors split" : "");
  }

  @Override
  public boolean runsOn(int hosts) {
    return !splitsTensors || hosts > 1;
  }

  private Path model() {
    String bits = hasFourBits ? "q4" : "q8";
    return task.directory().resolve("llama-cpp-%s-%s.gguf".formatted(task.shape(), bits));
  }

  @Override
  public void prepare() throws IOException {
    if (!Files.exists(model())) {
      GgufFile.write(task.shape(), hasFourBits, task.positions(), model());
    }
  }

  @Override
  public Speed run(int hosts) throws IOException, InterruptedException {
    String server = programs.resolve("ggml-rpc-server").toString();
    List<String> other = List.of(server, "-H", "0.0.0.0", "-p", "" + PORT, "-t", "1");
    return speed(Programs.runBeside(firstServer(), hosts, PORT, other, bench(hosts)));
  }

  /** The first host keeps its part of the layers; of tensors, only servers have parts. */
  private int firstServer() {
    return splitsTensors ? 0 : 1;
  }

  private List<String> bench(int hosts) {
    List<String> command =
        new ArrayList<>(
            List.of(
                programs.resolve("llama-bench").toString(),
                "-m",
                model().toString(),
                "-p",
                Integer.toString(task.promptTokens()),
                "-n",
                Integer.toString(task.tokens()),
                "-t",
                "1",
                "-r",
                "1",
                "-o",
                "json"));
    if (hosts > 1) {
      command.addAll(
          List.of("--rpc", String.join(",", Programs.addresses(firstServer(), hosts, PORT))));
      int elsewhere = task.shape().layers * (hosts - 1) / hosts;
      command.addAll(
          splitsTensors ? List.of("-sm", "tensor") : List.of("-ngl", Integer.toString(elsewhere)));
    }
    return command;
  }

  private Speed speed(String text) throws IOException {
    List<Double> perSecond = Programs.numbers("\"avg_ts\": ([0-9.]+)", text);
    double prefill = perSecond.getFirst();
    double decode = 1000 / perSecond.getLast();
    double first = task.promptTokens() * 1000 / prefill + decode;
    return new Speed(prefill, decode, first, Double.NaN);
  }
}
