// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenizerTest {
  @TempDir private Path directory;

  @BeforeEach
  void makeAModel() throws IOException {
    TestTokenizer.write(directory);
  }

  /** In this model three bytes of a blank come first, and each letter is a token by itself. */
  @ParameterizedTest
  @ValueSource(ints = {1, 508, 509, 512, 513, 5000})
  void aTextIsNotCut(int letters) throws IOException {
    try (Tokenizer tokenizer = Tokenizer.of(directory).orElseThrow()) {
      int[] tokens = tokenizer.encode("x".repeat(letters - 1) + "y");
      assertEquals(1 + 3 + letters, tokens.length);
      assertEquals(3 + 'y', tokens[tokens.length - 1]);
    }
  }

  /** A server tokenises what strangers send. */
  @Test
  void aTokenTakesFewBytes() throws IOException {
    try (Tokenizer tokenizer = Tokenizer.of(directory).orElseThrow()) {
      tokenizer.encode("x");
      ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      long before = threads.getCurrentThreadAllocatedBytes();
      int tokens = tokenizer.encode("x".repeat(100_000)).length;
      double each = (threads.getCurrentThreadAllocatedBytes() - before) / (double) tokens;
      System.out.printf("TokenizerTest: %.1f bytes for each of %d tokens%n", each, tokens);
      assertTrue(each < 30, each + " bytes");
    }
  }

  @Test
  void limitsOfTheFileItselfDoNotCutEither() throws IOException {
    String json =
        Files.readString(directory.resolve("tokenizer.json"))
            .replace(
                "\"truncation\": null, \"padding\": null",
                """
                "truncation": {"direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 0},
                "padding": {"strategy": {"Fixed": 8}, "direction": "Right", "pad_to_multiple_of": null,
                            "pad_id": 0, "pad_type_id": 0, "pad_token": "<unk>"}""");
    int[] expected;
    try (Tokenizer tokenizer = Tokenizer.of(directory).orElseThrow()) {
      expected = tokenizer.encode("xy");
    }
    try (Tokenizer tokenizer = Tokenizer.read(json.getBytes(StandardCharsets.UTF_8))) {
      assertEquals(expected.length, tokenizer.encode("xy").length);
      assertEquals(expected.length + 18, tokenizer.encode("x".repeat(20)).length);
    }
  }

  /** DJL asks it which machine this is, and tells its maker. */
  @Test
  void theNetworkIsNotAsked() throws IOException, InterruptedException {
    String said = TokenizerProgram.run(directory, directory.resolve("cache"));
    assertEquals(TokenizerProgram.SUCCESS, said);
  }
}
