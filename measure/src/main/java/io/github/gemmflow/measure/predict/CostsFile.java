// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.predict;

import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.CostText;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;

/** File of costs, as {@code gemmflow calibrate} writes it. */
public final class CostsFile {
  private CostsFile() {}

  /**
   * Reads it.
   *
   * @throws IllegalArgumentException if the file has something else in it; names the file
   */
  public static CostModel read(Path file) throws IOException {
    try {
      return CostText.read(Files.readString(file));
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(
          "%s is not text in UTF-8: write it with gemmflow calibrate".formatted(file), e);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "%s is not a costs file: %s".formatted(file, e.getMessage()), e);
    }
  }
}
