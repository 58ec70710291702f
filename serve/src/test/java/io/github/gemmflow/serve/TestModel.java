// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.models.checkpoint.RandomWeights;
import io.github.gemmflow.models.kit.Stories;
import io.github.gemmflow.text.TestTokenizer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Models with a tokenizer: stories260K, where it is there, or random weights. */
public final class TestModel {
  private TestModel() {}

  /** Makes one in a directory. */
  public static void write(Path directory) throws IOException {
    if (!Stories.isThere()) {
      writeRandom(directory);
      return;
    }
    Files.createDirectories(directory);
    for (String file : List.of("config.json", "model.safetensors")) {
      Files.copy(Stories.MODEL.resolve(file), directory.resolve(file));
    }
    List<String> pieces = new ArrayList<>();
    List<Float> scores = new ArrayList<>();
    for (Stories.Piece piece : Stories.pieces()) {
      String text = new String(piece.bytes(), StandardCharsets.UTF_8);
      pieces.add(text.replace(' ', '\u2581').strip());
      scores.add(piece.score());
    }
    TestTokenizer.write(directory, pieces, scores);
  }

  /** Random weights for 512 tokens: bytes, and some words; texts have 512 tokens at most. */
  public static void writeRandom(Path directory) throws IOException {
    writeRandom(directory, "\"max_position_embeddings\": 512, \"eos_token_id\": 2");
  }

  /** The same for texts that end only where their client wants. */
  public static void writeEndless(Path directory) throws IOException {
    writeRandom(directory, "\"max_position_embeddings\": 1000000");
  }

  private static void writeRandom(Path directory, String fields) throws IOException {
    RandomWeights.write(
        directory,
        """
        {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2,
         "num_attention_heads": 8, "num_key_value_heads": 4, "vocab_size": 512,
         %s}"""
            .formatted(fields),
        DType.F32,
        7,
        1);
    TestTokenizer.write(directory);
  }

  /** Random weights for one rank or more, up to 4, without a tokenizer. */
  public static void writeSmall(Path directory) throws IOException {
    RandomWeights.write(
        directory,
        """
        {"hidden_size": 32, "intermediate_size": 40, "num_hidden_layers": 1,
         "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 50}""",
        DType.F32,
        1,
        1);
  }
}
