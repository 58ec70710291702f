// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.llama;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LlamaConfigTest {
  /** The first Llama 2, with some of the fields that do not matter here. */
  private static final String LLAMA_2 =
      """
      {
        "architectures": ["LlamaForCausalLM"],
        "bos_token_id": 1,
        "hidden_act": "silu",
        "hidden_size": 4096,
        "intermediate_size": 11008,
        "num_attention_heads": 32,
        "num_hidden_layers": 32,
        "rms_norm_eps": 1e-05,
        "rope_scaling": null,
        "some_more": {"nested": [1, 2, {}]},
        "vocab_size": 32000
      }
      """;

  @TempDir private Path directory;

  private LlamaConfig read(String text) throws IOException {
    return LlamaConfig.read(Files.writeString(directory.resolve("config.json"), text));
  }

  @Test
  void whatWasWrittenIsRead() throws IOException {
    LlamaConfig config = new LlamaConfig(64, 150, 2, 8, 4, 130, 1e-5f, 500_000);
    Path file = directory.resolve("config.json");
    config.write(file);
    assertEquals(config, LlamaConfig.read(file));
  }

  @Test
  void whatAModelDoesNotSayIsAsInTheFirst() throws IOException {
    assertEquals(new LlamaConfig(4096, 11008, 32, 32, 32, 32000, 1e-5f, 10_000), read(LLAMA_2));
  }

  @ParameterizedTest
  @CsvSource({
    "silu, gelu, hidden_act",
    "null, '{\"rope_type\":\"llama3\"}', rope_scaling",
    "4096, 4097, 4097",
    "4096, 'true', hidden_size",
    "hidden_size, size, hidden_size",
    "'\"bos_token_id\": 1', '\"head_dim\": 64', head_dim",
    "'\"bos_token_id\": 1', '\"attention_bias\": true', attention_bias",
    "'}', ']', not JSON",
  })
  void whatThisExampleCannotDoIsRefused(String old, String replacement, String part) {
    String text = LLAMA_2.replace(old, replacement);
    IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> read(text));
    assertTrue(e.toString().contains(part), e.toString());
  }
}
