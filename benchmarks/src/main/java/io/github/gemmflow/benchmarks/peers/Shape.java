// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.peers;

import picocli.CommandLine.Option;

/** Shape of a Llama, of random weights. */
final class Shape {
  @Option(
      names = "--layers",
      defaultValue = "16",
      description = "layers (default: ${DEFAULT-VALUE})")
  int layers;

  @Option(
      names = "--hidden",
      defaultValue = "2048",
      description = "hidden size (default: ${DEFAULT-VALUE})")
  int hidden;

  @Option(
      names = "--intermediate",
      defaultValue = "8192",
      description = "intermediate size (default: ${DEFAULT-VALUE})")
  int intermediate;

  @Option(
      names = "--heads",
      defaultValue = "32",
      description = "attention heads (default: ${DEFAULT-VALUE})")
  int heads;

  @Option(
      names = "--kv-heads",
      defaultValue = "8",
      description = "heads of keys and values (default: ${DEFAULT-VALUE})")
  int kvHeads;

  @Option(
      names = "--vocab",
      defaultValue = "32000",
      description = "tokens of the vocabulary (default: ${DEFAULT-VALUE})")
  int vocabulary;

  int headSize() {
    return hidden / heads;
  }

  int keys() {
    return kvHeads * headSize();
  }

  /** What names a file of this shape. */
  @Override
  public String toString() {
    return "%d-%d-%d-%d-%d-%d".formatted(layers, hidden, intermediate, heads, kvHeads, vocabulary);
  }
}
