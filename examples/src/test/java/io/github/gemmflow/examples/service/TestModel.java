// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.service;

import io.github.gemmflow.examples.checkpoint.RandomWeights;
import io.github.gemmflow.examples.generate.Stories;
import io.github.gemmflow.matrix.DType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

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
    writeTokenizer(directory, pieces, scores);
  }

  /** Random weights for 512 tokens: bytes, and some words; texts have 512 tokens at most. */
  public static void writeRandom(Path directory) throws IOException {
    writeRandom(directory, "\"max_position_embeddings\": 512, \"eos_token_id\": 2");
  }

  /** The same for texts that end only where their client wants. */
  static void writeEndless(Path directory) throws IOException {
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
    List<String> pieces = new ArrayList<>(List.of("<unk>", "<s>", "</s>"));
    List<Float> scores = new ArrayList<>(List.of(0f, 0f, 0f));
    for (int i = 0; i < 256; i++) {
      pieces.add("<0x%02X>".formatted(i));
      scores.add(0f);
    }
    while (pieces.size() < 512) {
      pieces.add("\u2581" + Integer.toString(pieces.size() * 7919, 36));
      scores.add(-1f);
    }
    writeTokenizer(directory, pieces, scores);
  }

  private static void writeTokenizer(Path directory, List<String> pieces, List<Float> scores)
      throws IOException {
    JsonMapper mapper = new JsonMapper();
    List<String> vocabulary = new ArrayList<>();
    for (int i = 0; i < pieces.size(); i++) {
      // A name for each: the first three and bytes have one.
      String piece = i == 0 ? "<unk>" : i == 1 ? "<s>" : i == 2 ? "</s>" : pieces.get(i);
      vocabulary.add("[%s, %s]".formatted(mapper.writeValueAsString(piece), scores.get(i)));
    }
    String special =
        List.of("<unk>", "<s>", "</s>").stream()
            .map(
                name ->
                    """
                    {"id": %d, "content": "%s", "special": true, "single_word": false,
                     "lstrip": false, "rstrip": false, "normalized": false}"""
                        .formatted(List.of("<unk>", "<s>", "</s>").indexOf(name), name))
            .collect(Collectors.joining(", "));
    Files.writeString(
        directory.resolve("tokenizer.json"),
        """
        {"version": "1.0", "truncation": null, "padding": null, "added_tokens": [%s],
         "normalizer": {"type": "Sequence", "normalizers": [
           {"type": "Prepend", "prepend": "\u2581"},
           {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}]},
         "pre_tokenizer": null,
         "post_processor": {"type": "TemplateProcessing",
           "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
           "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
           "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}},
         "decoder": {"type": "Sequence", "decoders": [
           {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "},
           {"type": "ByteFallback"}, {"type": "Fuse"}]},
         "model": {"type": "Unigram", "unk_id": 0, "byte_fallback": true, "vocab": [%s]}}
        """
            .formatted(special, String.join(", ", vocabulary)));
  }
}
