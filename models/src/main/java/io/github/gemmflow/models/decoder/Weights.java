// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.decoder;

import io.github.gemmflow.World;
import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.models.checkpoint.Checkpoint;
import io.github.gemmflow.models.checkpoint.Linear;
import io.github.gemmflow.models.checkpoint.ModelConfig;
import io.github.gemmflow.models.parallel.Shares;
import io.github.gemmflow.models.parallel.Slice;

/**
 * One rank's part of the weights. A checkpoint stores a linear layer as {@code [out, in]}. What
 * follows an all-gather is cut by outputs, so that each rank computes some columns; what leads to a
 * reduce-scatter is cut by inputs, so that each rank computes one addend of every column.
 *
 * @param type what the products are computed in; weights of another type are converted
 */
public record Weights(World world, Checkpoint checkpoint, Part part, DType type) {
  /**
   * This rank's part.
   *
   * @param checkpoint is used as long as a model of these weights is: the embedding stays where it
   *     is mapped
   * @param shares of the ranks, the same on all
   * @throws IllegalArgumentException if there are more ranks than heads
   */
  public static Weights of(World world, Checkpoint checkpoint, Shares shares, DType type) {
    if (shares.ranks() != world.size()) {
      throw new IllegalArgumentException(
          "%d shares for %d ranks: give one for each".formatted(shares.ranks(), world.size()));
    }
    Part part = Part.of(checkpoint.config(), shares, world.rank());
    return new Weights(world, checkpoint, part, type);
  }

  public ModelConfig config() {
    return checkpoint.config();
  }

  /** Some outputs of a layer, and all its inputs. */
  PackedWeights byOutputs(String name, long outputs, long inputs, Slice mine) {
    Linear whole = checkpoint.linear(name, outputs, inputs);
    return whole.outputs(mine.begin(), mine.end()).pack(world, type);
  }

  /** All outputs of a layer, and some of its inputs. */
  PackedWeights byInputs(String name, long outputs, long inputs, Slice mine) {
    Linear whole = checkpoint.linear(name, outputs, inputs);
    return whole.inputs(mine.begin(), mine.end()).pack(world, type);
  }

  /** The bias of some outputs, or nothing where the model has none. */
  Epilogue bias(boolean isThere, String name, long outputs, Slice mine) {
    return isThere
        ? Epilogue.bias(
            checkpoint.matrix(name + ".bias", 1, outputs).columns(mine.begin(), mine.end()))
        : Epilogue.NONE;
  }

  /** The type of what the operators are given: rows become int8 only as they are multiplied. */
  DType activationType() {
    return type.isReal() ? type : DType.F32;
  }

  /** A norm of so many columns; every rank has all of it. */
  RmsNorm norm(String name, int columns) {
    Matrix scale = checkpoint.matrix(name + ".weight", 1, columns);
    return new RmsNorm(scale.toFloats(), config().normEpsilon());
  }

  /** The rows of all tokens, in place. */
  Matrix embedding() {
    return checkpoint.matrix("model.embed_tokens.weight", config().vocabulary(), config().hidden());
  }

  /** The last layer; some models use the embedding for it. */
  PackedWeights lmHead() {
    String name = config().tied() ? "model.embed_tokens" : "lm_head";
    return byOutputs(name, config().vocabulary(), config().hidden(), part.tokens());
  }
}
