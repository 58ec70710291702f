// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.cli.Ran;
import io.github.gemmflow.cli.job.ExitCode;
import io.github.gemmflow.files.SafeTensors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GenerateCommandTest {
  @TempDir private Path directory;

  private Ran generate(String... arguments) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "generate", "--model", directory.toString(), "--tokens", "3", "--engine", "local"));
    all.addAll(List.of(arguments));
    return Ran.here(all.toArray(new String[0]));
  }

  @BeforeEach
  void makeAModel() throws IOException {
    TestModel.writeSmall(directory);
  }

  @Test
  void promptsOfAFileAreContinued() throws IOException {
    Path prompts = Files.writeString(directory.resolve("prompts"), "1 2 3\n\n49\n");
    Path logits = directory.resolve("logits");
    Ran ran =
        generate(
            "--prompts", prompts.toString(),
            "-n", "2",
            "--dtype", "f32",
            "--overlap", "sequential",
            "--logits-out", logits.toString());
    ran.good();
    List<String> lines = ran.out().lines().toList();
    assertTrue(lines.get(0).matches("prompt 0: \\d+ \\d+ \\d+"), ran::out);
    assertTrue(lines.get(1).matches("prompt 1: \\d+ \\d+ \\d+"), ran::out);
    assertTrue(lines.get(2).startsWith("2 ranks on 1 host, F32, "), ran::out);
    assertTrue(lines.get(3).matches("prefill \\d+.\\d\\d ms for 4 tokens"), ran::out);
    assertTrue(lines.get(4).matches("decode \\d+.\\d\\d ms per token .*"), ran::out);
    try (SafeTensors tensors = SafeTensors.open(logits)) {
      assertEquals("3 x 50 F32", tensors.tensor("prompt.1").matrix().toString());
    }
  }

  @Test
  void aPromptIsContinuedAsAWholeOrRefused() throws IOException {
    TestModel.writeRandom(directory);
    String[] prompt = {"--prompt", "x".repeat(480), "--dtype", "f32", "-n", "1"};
    Ran ran = generate(prompt).good();
    assertTrue(ran.out().matches("(?s).*prefill \\d+.\\d\\d ms for 484 tokens.*"), ran::out);
    prompt[1] = "x".repeat(600);
    generate(prompt).bad(ExitCode.INPUT, "prompt 0 has 604 tokens", "sequences of at most 512");
  }

  @Test
  void withoutALauncherItIsAlone() {
    Ran ran = Ran.here("generate", "--model", directory.toString(), "--random-prompts", "2").good();
    assertTrue(ran.out().contains("1 rank on 1 host, BF16"), ran::out);
  }

  @Test
  void sharesAreMeasured() {
    generate("--random-prompts", "2", "--shares", "auto", "-n", "2").good();
    generate("--random-prompts", "2", "--shares", "3,1", "-n", "2").good();
  }

  @Test
  void whatAUserCanMendIsSaid() throws IOException {
    Path prompts = Files.writeString(directory.resolve("prompts"), "Hello");
    generate("--prompts", prompts.toString()).bad(ExitCode.INPUT, "'Hello'");
    generate("--random-prompts", "0").bad(ExitCode.INPUT, "0 prompts");
    generate("-n", "1", "--logits-out", "/nonexistent/logits")
        .bad(ExitCode.INPUT, "/nonexistent/logits", "does not exist");
    generate("-n", "1,2").bad(ExitCode.INPUT, "takes one number");
    generate("-n", "5").bad(ExitCode.INPUT, "5 ranks cannot share 4 heads");
    generate("--shares", "2;1").bad(ExitCode.INPUT, "not '2;1'");
    generate("--prompt", "Once").bad(ExitCode.INPUT, "no tokenizer.json");
    Files.delete(directory.resolve("model.safetensors"));
    generate().bad(ExitCode.INPUT, "model.safetensors");
    Ran.here("generate", "--model", "/nonexistent").bad(ExitCode.INPUT, "/nonexistent");
  }

  @ParameterizedTest
  @ValueSource(strings = {"generate", "embed", "serve"})
  void helpFitsATerminal(String command) {
    Ran ran = Ran.here(command, "--help").good();
    assertTrue(ran.out().lines().allMatch(line -> line.length() <= 80), ran::out);
    assertFalse(ran.out().contains("%n"), ran::out);
    assertTrue(Ran.here("--help").out().contains("\n  " + command + " "));
  }
}
