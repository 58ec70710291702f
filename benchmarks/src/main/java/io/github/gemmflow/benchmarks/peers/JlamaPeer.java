// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Jlama, with weights of four bits, as its authors publish models. On one host only: what it needs
 * for several is in Maven Central in an older version only.
 */
record JlamaPeer(Task task) implements Peer {
  /** Runs before the one that is timed: by then Java has compiled most of what is run. */
  private static final int WARMUP = 4;

  @Override
  public String name() {
    return "Jlama Q4";
  }

  @Override
  public boolean runsOn(int hosts) {
    return hosts == 1;
  }

  private Path model() {
    return task.directory().resolve("jlama-" + task.shape());
  }

  @Override
  public void prepare() throws IOException, InterruptedException {
    if (!Files.exists(model().resolve("model.safetensors"))) {
      RandomModel.write(task.shape(), "BF16", model());
      addToConfig(
          "\"bos_token_id\": 1, \"eos_token_id\": 2, \"max_position_embeddings\": "
              + task.positions());
      Files.writeString(model().resolve("tokenizer.json"), tokenizer());
      // Jlama copies it.
      Files.writeString(model().resolve("README.md"), "");
    }
  }

  private void addToConfig(String fields) throws IOException {
    Path config = model().resolve("config.json");
    Files.writeString(config, Files.readString(config).replaceFirst("\\{", "{" + fields + ","));
  }

  /** After three others a token for each letter of the prompt, and names for all that are left. */
  private String tokenizer() {
    return IntStream.range(0, task.shape().vocabulary)
        .mapToObj(token -> "\"%s\": %d".formatted(name(token), token))
        .collect(
            Collectors.joining(
                ", ", "{\"model\": {\"type\": \"BPE\", \"merges\": [], \"vocab\": {", "}}}"));
  }

  private static String name(int token) {
    int letter = token - 3;
    return letter >= 0 && letter < Task.LETTERS.length()
        ? Task.LETTERS.substring(letter, letter + 1)
        : "t" + token;
  }

  @Override
  public Speed run(int hosts) throws IOException, InterruptedException {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--add-modules=jdk.incubator.vector",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            JlamaRun.class.getName(),
            model().toString(),
            task.letters(),
            Integer.toString(task.tokens()),
            Integer.toString(WARMUP));
    String text = Programs.run(Programs.on(0, command));
    double prefill = Programs.numbers("prefill ([0-9]+) ms", text).getFirst();
    double decode = Programs.numbers("decode ([0-9]+) ms", text).getFirst() / task.tokens();
    return new Speed(task.promptTokens() * 1000 / prefill, decode, prefill, Double.NaN);
  }
}
