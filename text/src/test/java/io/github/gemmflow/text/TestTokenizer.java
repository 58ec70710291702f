// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.text;

import io.github.gemmflow.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Tokenizers for tests, as files of Hugging Face's kind. */
public final class TestTokenizer {
  private TestTokenizer() {}

  /** One of 512 tokens: three marks, all bytes, and some words. */
  public static void write(Path directory) throws IOException {
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
    write(directory, pieces, scores);
  }

  /**
   * One with these pieces, of which the first three are marks.
   *
   * @param scores the larger the likelier
   */
  public static void write(Path directory, List<String> pieces, List<Float> scores)
      throws IOException {
    List<String> vocabulary = new ArrayList<>();
    for (int i = 0; i < pieces.size(); i++) {
      // A name for each: the first three and bytes have one.
      String piece = i == 0 ? "<unk>" : i == 1 ? "<s>" : i == 2 ? "</s>" : pieces.get(i);
      vocabulary.add("[%s, %s]".formatted(Json.write(piece), scores.get(i)));
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
