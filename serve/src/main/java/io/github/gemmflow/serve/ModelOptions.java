// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve;

import io.github.gemmflow.matrix.DType;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Options for the model that is run, and the type that it multiplies in. */
final class ModelOptions {
  @Option(
      names = "--model",
      required = true,
      paramLabel = "DIR",
      description =
          "directory in Hugging Face's format: config.json, *.safetensors and, for text, tokenizer.json; every rank reads it")
  private Path directory = Path.of("");

  @Option(
      names = "--dtype",
      paramLabel = "TYPE",
      defaultValue = "BF16",
      description = "type to multiply in: BF16, F16, F32 or I8 (default: BF16)")
  private DType type = DType.BF16;

  Path directory() {
    return directory;
  }

  DType type() {
    return type;
  }
}
