// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.llama;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.files.SafeTensors;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The programs, as a user calls them. */
class GenerateTest {
  @TempDir private Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(Callable<Integer> program, String... arguments) {
    CommandLine line = Program.of(program);
    return line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err)).execute(arguments);
  }

  private int generate(String... arguments) {
    List<String> all = new ArrayList<>(List.of("--model", directory.toString(), "--tokens", "3"));
    all.addAll(List.of(arguments));
    return run(new Generate(), all.toArray(new String[0]));
  }

  @BeforeEach
  void makeAModel() {
    String shape = "--layers 1 --hidden 32 --heads 4 --kv-heads 2 --intermediate 40 --vocab 50";
    String all = shape + " --type f32 --out " + directory;
    assertEquals(0, run(new RandomCheckpoint(), all.split(" ")), err::toString);
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
    assertEquals(0, code, err::toString);
    List<String> lines = out.toString().lines().toList();
    assertTrue(lines.get(0).matches("prompt 0: \\d+ \\d+ \\d+"), out::toString);
    assertTrue(lines.get(1).matches("prompt 1: \\d+ \\d+ \\d+"), out::toString);
    assertTrue(lines.get(2).startsWith("2 rank(s), F32, "), out::toString);
    assertTrue(lines.get(3).matches("prefill \\d+.\\d\\d ms for 4 tokens"), out::toString);
    assertTrue(lines.get(4).matches("decode \\d+.\\d\\d ms per token .*"), out::toString);
    try (SafeTensors tensors = SafeTensors.open(logits)) {
      assertEquals("3 x 50 F32", tensors.tensor("prompt.1").matrix().toString());
    }
  }

  @Test
  void withoutALauncherItIsAlone() {
    assertEquals(0, generate("--random-prompts", "2"), err::toString);
    assertTrue(out.toString().contains("1 rank(s), BF16"), out::toString);
  }

  @Test
  void whatAUserCanMendIsSaid() throws IOException {
    Path prompts = Files.writeString(directory.resolve("prompts"), "Hello");
    assertEquals(1, generate("--prompts", prompts.toString()));
    assertTrue(err.toString().contains("'Hello'"), err::toString);
    assertEquals(1, generate("--random-prompts", "0"));
    assertTrue(err.toString().contains("0 prompt(s)"), err::toString);
    assertEquals(1, generate("--local", "1", "--logits-out", "/nonexistent/logits"));
    assertTrue(err.toString().contains("cannot write /nonexistent/logits"), err::toString);
    assertEquals(1, generate("--local", "3"));
    assertTrue(err.toString().contains("3 ranks cannot share 2"), err::toString);
    Files.delete(directory.resolve("model.safetensors"));
    assertEquals(1, generate());
    assertTrue(err.toString().contains("'model.embed_tokens.weight'"), err::toString);
    assertEquals(1, run(new Generate(), "--model", "/nonexistent"));
    assertTrue(err.toString().contains("/nonexistent"), err::toString);
  }
}
