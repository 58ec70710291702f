// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.command;

import io.github.gemmflow.matrix.DType;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Options that say which model is run, and in which type. */
public final class ModelOptions {
  @Option(
      names = "--model",
      required = true,
      paramLabel = "DIR",
      description =
          "config.json, *.safetensors and, for text, tokenizer.json, as Hugging Face has them; every rank reads them")
  private Path directory = Path.of("");

  @Option(
      names = "--type",
      defaultValue = "BF16",
      description = "to multiply in: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
  private DType type = DType.BF16;

  public Path directory() {
    return directory;
  }

  public DType type() {
    return type;
  }
}
