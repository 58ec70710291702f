// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.checkpoint;

import io.github.gemmflow.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Index of a model whose tensors are in several files. Files and index must agree: a tensor taken
 * from a stale file would make another model.
 *
 * @param path of the index, for messages
 * @param fileOf the name of a tensor's file, by the name of the tensor
 */
record ShardIndex(Path path, Map<String, String> fileOf) {
  /** A file beside the index, and not anywhere else. */
  private static final String FILE_NAME = "[^/\\\\]+\\.safetensors";

  /**
   * Reads an index.
   *
   * @throws IllegalArgumentException if it has a tensor twice, or names a file in another directory
   */
  static ShardIndex read(Path path) throws IOException {
    JsonObject map = JsonObject.read(path).object("weight_map");
    Map<String, String> fileOf = new TreeMap<>();
    for (String tensor : map.fields()) {
      String file = map.text(tensor, "");
      if (!file.matches(FILE_NAME)) {
        throw new IllegalArgumentException(
            "%s: '%s' is in '%s', which is not the name of a .safetensors file in the same directory"
                .formatted(path, tensor, file));
      }
      fileOf.put(tensor, file);
    }
    return new ShardIndex(path, fileOf);
  }

  Collection<String> files() {
    return new TreeSet<>(fileOf.values());
  }

  /** Throws unless a file has the tensors that the index places there, and no others. */
  void check(String file, Set<String> tensors) {
    for (String tensor : tensors) {
      String place = fileOf.get(tensor);
      if (!file.equals(place)) {
        throw new IllegalArgumentException(
            "%s %s '%s', but %s has it: are all files from the same model?"
                .formatted(
                    path,
                    place == null ? "does not list" : "names " + place + " as the file of tensor",
                    tensor,
                    file));
      }
    }
    fileOf.forEach(
        (tensor, place) -> {
          if (place.equals(file) && !tensors.contains(tensor)) {
            throw new IllegalArgumentException(
                "%s names %s as the file of tensor '%s', which is not in it: are all files from the same model?"
                    .formatted(path, file, tensor));
          }
        });
  }
}
