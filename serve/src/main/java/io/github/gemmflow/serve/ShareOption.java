// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve;

import io.github.gemmflow.World;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.models.checkpoint.Checkpoint;
import io.github.gemmflow.models.checkpoint.ModelConfig;
import io.github.gemmflow.models.decoder.Weights;
import io.github.gemmflow.models.parallel.MeasuredShares;
import io.github.gemmflow.models.parallel.Shares;
import java.util.Arrays;
import picocli.CommandLine.Option;

/** Option for the share of the model that each rank has. */
final class ShareOption {
  @Option(
      names = "--shares",
      paramLabel = "SHARES",
      defaultValue = "even",
      description =
          "share of the model for each rank: even; auto, by measured speed; or a number for each, for example 2,1,1 (default: even)")
  private String value = "even";

  /** The shares of all ranks. Collective, because they may be measured. */
  Shares shares(World world, int hidden, int intermediate, DType type) {
    return switch (value) {
      case "even" -> Shares.even(world.size());
      case "auto" -> MeasuredShares.of(world, hidden, intermediate, type);
      default -> Shares.of(numbers());
    };
  }

  /** The weights of each rank by its share. Collective. */
  Weights weights(World world, Checkpoint checkpoint, DType type) {
    ModelConfig config = checkpoint.config();
    Shares shares = shares(world, config.hidden(), config.intermediate(), type);
    return Weights.of(world, checkpoint, shares, type);
  }

  private double[] numbers() {
    try {
      return Arrays.stream(value.split(",")).mapToDouble(Double::parseDouble).toArray();
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "--shares must be even, auto, or a number for each rank separated by commas, not '%s'"
              .formatted(value),
          e);
    }
  }
}
