// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.generate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.examples.service.TestModel;
import io.github.gemmflow.files.SafeTensors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The programs, as a user calls them. */
class GenerateTest {
  @TempDir private Path directory;
  private final Terminal terminal = new Terminal();

  private int generate(String... arguments) {
    List<String> all = new ArrayList<>(List.of("--model", directory.toString(), "--tokens", "3"));
    all.addAll(List.of(arguments));
    return terminal.run(new Generate(), all.toArray(new String[0]));
  }

  @BeforeEach
  void makeAModel() {
    terminal.makeAModel(directory);
  }

  @Test
  void promptsOfAFileAreContinued() throws IOException {
    Path prompts = Files.writeString(directory.resolve("prompts"), "1 2 3\n\n49\n");
    Path logits = directory.resolve("logits");
    int code =
        generate(
            "--prompts", prompts.toString(),
            "--local", "2",
            "--type", "f32",
            "--overlap", "sequential",
            "--logits-out", logits.toString());
    assertEquals(0, code, terminal::err);
    List<String> lines = terminal.out().lines().toList();
    assertTrue(lines.get(0).matches("prompt 0: \\d+ \\d+ \\d+"), terminal::out);
    assertTrue(lines.get(1).matches("prompt 1: \\d+ \\d+ \\d+"), terminal::out);
    assertTrue(lines.get(2).startsWith("2 ranks on 1 host, F32, "), terminal::out);
    assertTrue(lines.get(3).matches("prefill \\d+.\\d\\d ms for 4 tokens"), terminal::out);
    assertTrue(lines.get(4).matches("decode \\d+.\\d\\d ms per token .*"), terminal::out);
    try (SafeTensors tensors = SafeTensors.open(logits)) {
      assertEquals("3 x 50 F32", tensors.tensor("prompt.1").matrix().toString());
    }
  }

  @Test
  void aPromptIsContinuedAsAWholeOrRefused() throws IOException {
    TestModel.writeRandom(directory);
    String[] prompt = {"--prompt", "x".repeat(480), "--type", "f32", "--local", "1"};
    assertEquals(0, generate(prompt), terminal::err);
    assertTrue(
        terminal.out().matches("(?s).*prefill \\d+.\\d\\d ms for 484 tokens.*"), terminal::out);
    prompt[1] = "x".repeat(600);
    assertEquals(1, generate(prompt));
    assertTrue(terminal.err().contains("prompt 0 has 604 tokens"), terminal::err);
    assertTrue(terminal.err().contains("texts of 512 at most"), terminal::err);
  }

  @Test
  void withoutALauncherItIsAlone() {
    assertEquals(0, generate("--random-prompts", "2"), terminal::err);
    assertTrue(terminal.out().contains("1 rank on 1 host, BF16"), terminal::out);
  }

  @Test
  void sharesAreMeasured() {
    assertEquals(0, generate("--random-prompts", "2", "--shares", "auto", "--local", "2"));
    assertEquals(0, generate("--random-prompts", "2", "--shares", "3,1", "--local", "2"));
  }

  @Test
  void whatAUserCanMendIsSaid() throws IOException {
    Path prompts = Files.writeString(directory.resolve("prompts"), "Hello");
    assertEquals(1, generate("--prompts", prompts.toString()));
    assertTrue(terminal.err().contains("'Hello'"), terminal::err);
    assertEquals(1, generate("--random-prompts", "0"));
    assertTrue(terminal.err().contains("0 prompts"), terminal::err);
    assertEquals(1, generate("--local", "1", "--logits-out", "/nonexistent/logits"));
    assertTrue(terminal.err().contains("cannot write /nonexistent/logits"), terminal::err);
    assertEquals(1, generate("--local", "5"));
    assertTrue(terminal.err().contains("5 ranks cannot share 4 heads"), terminal::err);
    assertEquals(1, generate("--shares", "2;1"));
    assertTrue(terminal.err().contains("not '2;1'"), terminal::err);
    assertEquals(1, generate("--prompt", "Once"));
    assertTrue(terminal.err().contains("no tokenizer.json"), terminal::err);
    Files.delete(directory.resolve("model.safetensors"));
    assertEquals(1, generate());
    assertTrue(terminal.err().contains("model.safetensors"), terminal::err);
    assertEquals(1, terminal.run(new Generate(), "--model", "/nonexistent"));
    assertTrue(terminal.err().contains("/nonexistent"), terminal::err);
  }
}
