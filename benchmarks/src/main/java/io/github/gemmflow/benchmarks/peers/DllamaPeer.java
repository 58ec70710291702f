// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * distributed-llama, with weights of four bits and sums that travel in eight, as its authors
 * advise.
 *
 * @param program its {@code dllama}
 */
record DllamaPeer(Task task, Path program) implements Peer {
  private static final int PORT = 9999;

  @Override
  public String name() {
    return "distributed-llama Q40, sends Q80";
  }

  private Path file(String ending) {
    return task.directory().resolve("dllama-%s.%s".formatted(task.shape(), ending));
  }

  @Override
  public void prepare() throws IOException {
    if (!Files.exists(file("m"))) {
      DllamaFiles.writeModel(task.shape(), task.positions(), file("m"));
      DllamaFiles.writeTokenizer(task.shape(), file("t"));
    }
  }

  @Override
  public Speed run(int hosts) throws IOException, InterruptedException {
    List<String> worker =
        List.of(program.toString(), "worker", "--port", "" + PORT, "--nthreads", "1");
    return speed(Programs.runBeside(1, hosts, PORT, worker, root(hosts)));
  }

  private List<String> root(int hosts) {
    List<String> command =
        new ArrayList<>(
            List.of(
                program.toString(),
                "inference",
                "--model",
                file("m").toString(),
                "--tokenizer",
                file("t").toString(),
                "--prompt",
                task.letters(),
                "--steps",
                Integer.toString(task.promptTokens() + task.tokens()),
                "--nthreads",
                "1",
                "--temperature",
                "0",
                "--buffer-float-type",
                "q80"));
    if (hosts > 1) {
      command.add("--workers");
      command.addAll(Programs.addresses(1, hosts, PORT));
    }
    return command;
  }

  private Speed speed(String text) throws IOException {
    List<Double> perSecond = Programs.numbers("tokens/s: ([0-9.]+)", text);
    double firstToken =
        Programs.numbers("Pred +([0-9]+) ms", text).getFirst()
            + Programs.numbers("Pred +[0-9]+ ms Sync +([0-9]+) ms", text).getFirst();
    double received =
        Programs.numbers("Recv +([0-9]+) kB", text).stream().mapToDouble(kB -> kB * 1024).sum();
    double prefill = perSecond.getFirst();
    return new Speed(
        prefill,
        1000 / perSecond.getLast(),
        (task.promptTokens() - 1) * 1000 / prefill + firstToken,
        received / (task.promptTokens() + task.tokens()));
  }
}
