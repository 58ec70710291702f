// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ModelConfigTest {
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

  private static ModelConfig parse(String text) {
    return ModelConfig.of(JsonObject.parse("config.json", text));
  }

  /** The same with one more field, or several. */
  private static ModelConfig with(String fields) {
    return parse(LLAMA_2.replace("\"bos_token_id\": 1", fields));
  }

  @Test
  void whatAModelDoesNotSayIsAsInTheFirst() {
    ModelConfig config = parse(LLAMA_2);
    assertEquals(32, config.kvHeads());
    assertEquals(128, config.headSize());
    assertEquals(1e-5f, config.normEpsilon());
    assertEquals(new RotaryConfig(10_000, 1, 1, 1, 1), config.rotary());
    assertEquals(Integer.MAX_VALUE, config.window());
    assertFalse(config.inputBias() || config.outputBias() || config.headNorms() || config.tied());
    assertFalse(config.isInt8());
    assertEquals(List.of(), config.ends());
  }

  @Test
  void familiesDiffer() {
    ModelConfig mistral = with("\"model_type\": \"mistral\", \"sliding_window\": 4096");
    assertEquals(4096, mistral.window());
    ModelConfig qwen2 =
        with("\"model_type\": \"qwen2\", \"sliding_window\": 4096, \"use_sliding_window\": false");
    assertEquals(Integer.MAX_VALUE, qwen2.window());
    assertTrue(qwen2.inputBias() && !qwen2.outputBias());
    ModelConfig qwen3 =
        with("\"model_type\": \"qwen3\", \"head_dim\": 64, \"tie_word_embeddings\": true");
    assertTrue(qwen3.headNorms() && qwen3.tied() && !qwen3.inputBias());
    assertEquals(64, qwen3.headSize());
    ModelConfig llama = with("\"attention_bias\": true, \"eos_token_id\": [7, 9]");
    assertTrue(llama.inputBias() && llama.outputBias());
    assertEquals(List.of(7, 9), llama.ends());
    assertEquals(List.of(2), with("\"eos_token_id\": 2").ends());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "silu | gelu | hidden_act",
        "\"rope_scaling\": null | \"rope_scaling\": {\"rope_type\":\"yarn\"} | yarn",
        "\"rope_scaling\": null | \"rope_scaling\": {\"type\":\"llama3\"} | factor must be a number",
        "\"rope_scaling\": null | \"rope_parameters\": 3 | rope_parameters must be an object",
        "4096 | true | hidden_size must be a whole number",
        "\"hidden_size\" | \"size\" | hidden_size",
        "\"bos_token_id\": 1 | \"head_dim\": 63 | must be even",
        "\"bos_token_id\": 1 | \"num_key_value_heads\": 5 | a multiple",
        "\"bos_token_id\": 1 | \"mlp_bias\": true | mlp_bias",
        "\"bos_token_id\": 1 | \"model_type\": \"gemma\" | gemma",
        "\"bos_token_id\": 1 | \"use_sliding_window\": true | use_sliding_window",
        "\"bos_token_id\": 1 | \"attention_bias\": \"yes\" | true or false",
        "\"bos_token_id\": 1 | \"quantization_config\": {\"quant_method\": \"gptq\"} | gptq",
        "\"bos_token_id\": 1 | \"quantization_config\": {\"format\": \"pack-quantized\"} | pack-quantized",
        "\"bos_token_id\": 1 | \"quantization_config\": {\"config_groups\": {\"g\": {\"weights\": {\"num_bits\": 4}}}} | num_bits",
        "\"bos_token_id\": 1 | \"quantization_config\": {\"config_groups\": {\"g\": {\"input_activations\": {\"dynamic\": false}}}} | dynamic",
        "} | ] | not JSON",
        "{ | [ | not JSON",
      })
  void whatThisExampleCannotDoIsRefused(String old, String replacement, String part) {
    String text = LLAMA_2.replace(old, replacement);
    IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> parse(text));
    assertTrue(e.toString().contains(part), e.toString());
  }

  /** Llama 3.1's: wavelengths of up to 2048 stay, those from 8192 on are stretched eight times. */
  @Test
  void lowFrequenciesAreDivided() {
    RotaryConfig plain = parse(LLAMA_2).rotary();
    RotaryConfig scaled =
        with("""
                "rope_parameters": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}""")
            .rotary();
    int between = 0;
    for (int i = 0; i < 64; i++) {
      double frequency = plain.frequency(i, 64);
      double wavelength = 2 * Math.PI / frequency;
      double actual = scaled.frequency(i, 64);
      if (wavelength < 2048) {
        assertEquals(frequency, actual);
      } else if (wavelength > 8192) {
        assertEquals(frequency / 8, actual);
      } else {
        between++;
        double smooth = (8192 / wavelength - 1) / 3;
        assertEquals((1 - smooth) * frequency / 8 + smooth * frequency, actual, 1e-12);
      }
    }
    assertTrue(between > 3, between + " frequencies are between");
    RotaryConfig linear =
        parse(
                LLAMA_2.replace(
                    "\"rope_scaling\": null",
                    "\"rope_theta\": 5e5, \"rope_scaling\": {\"type\": \"linear\", \"factor\": 4}"))
            .rotary();
    assertEquals(Math.pow(5e5, -0.5) / 4, linear.frequency(32, 64), 1e-15);
  }
}
