// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.peers;

import io.github.gemmflow.system.Lab;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The decoder of {@code gemmflow generate}. It runs a few times before it is timed, as a server has
 * done; and Java compiles what is run.
 *
 * @param type to multiply in
 * @param isSpread whether ranks are on hosts of their own, or all on this machine
 */
record GemmflowPeer(Task task, String type, boolean isSpread) implements Peer {
  /** Runs before the one that is timed: by then Java has compiled most of what is run. */
  private static final int WARMUP = 12;

  @Override
  public String name() {
    return "Gemmflow " + type.toUpperCase(Locale.ROOT) + (isSpread ? "" : ", all ranks here");
  }

  @Override
  public boolean runsOn(int hosts) {
    return isSpread || hosts > 1;
  }

  private Path model() {
    return task.directory().resolve("gemmflow-%s-%s".formatted(task.shape(), type));
  }

  private Path prompt() {
    return model().resolve("prompt.txt");
  }

  @Override
  public void prepare() throws IOException, InterruptedException {
    if (!Files.exists(model().resolve("model.safetensors"))) {
      RandomModel.write(task.shape(), type, model());
    }
    String tokens =
        IntStream.range(0, task.promptTokens())
            .mapToObj(i -> Integer.toString(1 + i % 26))
            .collect(Collectors.joining(" "));
    Files.writeString(prompt(), tokens);
  }

  @Override
  public Speed run(int hosts) throws IOException, InterruptedException {
    Lab lab = new Lab(2);
    long before = lab.bytesIntoFirstHost();
    String text = Programs.run(command(hosts));
    double bytes = (double) lab.bytesIntoFirstHost() - before;
    double millis = Programs.numbers("prefill ([0-9.]+) ms", text).getFirst();
    double decode = Programs.numbers("decode ([0-9.]+) ms", text).getFirst();
    int tokens = (1 + WARMUP) * (task.promptTokens() + task.tokens());
    return new Speed(
        task.promptTokens() * 1000 / millis, decode, millis, isSpread ? bytes / tokens : 0);
  }

  private List<String> command(int hosts) {
    List<String> generate =
        List.of(
            Programs.gemmflow(),
            "generate",
            "--model",
            model().toString(),
            "--prompts",
            prompt().toString(),
            "--tokens",
            // The first one is of the prefill.
            Integer.toString(task.tokens() + 1),
            "--dtype",
            type,
            "--stop",
            "-1",
            "--warmup",
            Integer.toString(WARMUP));
    if (hosts == 1) {
      return Programs.on(0, generate);
    }
    List<String> command =
        new ArrayList<>(
            isSpread
                ? List.of(Lab.program(), "mpirun", "openmpi")
                : List.of(
                    "mpirun.openmpi",
                    "--allow-run-as-root",
                    "--oversubscribe",
                    "--bind-to",
                    "none"));
    command.addAll(List.of("-n", Integer.toString(hosts)));
    command.addAll(generate);
    return command;
  }
}
