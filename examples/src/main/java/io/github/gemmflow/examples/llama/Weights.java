// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.llama;

import io.github.gemmflow.World;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;

/**
 * One rank's part of the weights. A checkpoint stores a linear layer as {@code [out, in]}. What
 * follows an all-gather is cut by outputs, so that each rank computes some columns; what leads to a
 * reduce-scatter is cut by inputs, so that each rank computes one addend of every column.
 *
 * @param type what the products are computed in; weights of another type are converted
 */
record Weights(World world, Checkpoint checkpoint, Part part, DType type) {
  /**
   * This rank's part.
   *
   * @param checkpoint is used as long as a model of these weights is: the embedding stays where it
   *     is mapped
   * @throws IllegalArgumentException if the ranks cannot share the heads evenly
   */
  static Weights of(World world, Checkpoint checkpoint, DType type) {
    checkpoint.config().checkRanks(world.size());
    return new Weights(world, checkpoint, new Part(world.rank(), world.size()), type);
  }

  LlamaConfig config() {
    return checkpoint.config();
  }

  /** This rank's outputs of a layer, and all its inputs. */
  PackedWeights byOutputs(String name, long outputs, long inputs) {
    Matrix whole = checkpoint.matrix(name, outputs, inputs);
    return pack(whole.rows(part.begin(outputs), part.end(outputs)));
  }

  /** All outputs of a layer, and this rank's inputs. */
  PackedWeights byInputs(String name, long outputs, long inputs) {
    Matrix whole = checkpoint.matrix(name, outputs, inputs);
    return pack(whole.columns(part.begin(inputs), part.end(inputs)));
  }

  /** Packing reads the mapped file in place, unless elements must be converted first. */
  private PackedWeights pack(Matrix shard) {
    return world.pack(shard, WeightLayout.OUT_IN, type);
  }

  /** The type of what the operators are given: rows become int8 only as they are multiplied. */
  DType activationType() {
    return type.isReal() ? type : DType.F32;
  }

  /** A norm; every rank has all of it. */
  RmsNorm norm(String name) {
    Matrix scale = checkpoint.matrix(name, 1, config().hidden());
    return new RmsNorm(scale.toFloats(), config().normEpsilon());
  }

  /** The rows of all tokens, in place. */
  Matrix embedding() {
    return checkpoint.matrix("model.embed_tokens.weight", config().vocabulary(), config().hidden());
  }

  /** The last layer; some models use the embedding for it. */
  PackedWeights lmHead() {
    String own = "lm_head.weight";
    String name = checkpoint.has(own) ? own : "model.embed_tokens.weight";
    return byOutputs(name, config().vocabulary(), config().hidden());
  }
}
