// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.encoder;

import io.github.gemmflow.World;
import io.github.gemmflow.kernel.Activation;
import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.models.parallel.Shares;
import io.github.gemmflow.models.parallel.Slice;

/**
 * One rank's part of the weights of an encoder.
 *
 * @param heads of the attention; a file in ONNX does not say how many
 * @param type what the products are computed in
 */
public record EncoderWeights(
    World world, OnnxWeights tensors, Shares shares, int heads, DType type) {
  private static final String EMBEDDINGS = "embeddings.word_embeddings.weight";

  /** Checks that heads and shares fit the model. */
  public EncoderWeights {
    long hidden = tensors.matrix(EMBEDDINGS).columns();
    if (heads < 1 || hidden % heads != 0) {
      throw new IllegalArgumentException(
          "%d columns cannot be divided among %d heads: give the model's number with --heads"
              .formatted(hidden, heads));
    }
    if (shares.ranks() != world.size() || world.size() > heads) {
      throw new IllegalArgumentException(
          "%d heads cannot be divided by %d shares among %d ranks: give at most %d ranks a share each"
              .formatted(heads, shares.ranks(), world.size(), heads));
    }
  }

  int hidden() {
    return (int) tensors.matrix(EMBEDDINGS).columns();
  }

  int layers() {
    int layers = 0;
    while (tensors.has("encoder.layer.%d.output.dense.weight".formatted(layers))) {
      layers++;
    }
    return layers;
  }

  int headSize() {
    return hidden() / heads;
  }

  /** The columns of this rank's heads. */
  Slice headColumns() {
    return shares.slice(heads, world.rank()).times(headSize());
  }

  /** This rank's columns between the two products after the attention. */
  Slice innerColumns() {
    long inner = tensors.matrix("encoder.layer.0.intermediate.dense.weight").columns();
    return shares.slice(inner, world.rank());
  }

  Slice allColumns() {
    return new Slice(0, hidden());
  }

  /** All inputs of a layer, and some of its outputs. */
  PackedWeights byOutputs(String name, Slice mine) {
    Matrix whole = tensors.matrix(name + ".weight");
    return world.pack(whole.columns(mine.begin(), mine.end()), WeightLayout.IN_OUT, type);
  }

  /** Some inputs of a layer, and all its outputs. */
  PackedWeights byInputs(String name, Slice mine) {
    Matrix whole = tensors.matrix(name + ".weight");
    return world.pack(whole.rows(mine.begin(), mine.end()), WeightLayout.IN_OUT, type);
  }

  /** The bias of some outputs, and what comes after it. */
  Epilogue bias(String name, Slice mine, Activation activation) {
    Matrix whole = tensors.matrix(name + ".bias");
    return Epilogue.of(activation).withBias(whole.columns(mine.begin(), mine.end()));
  }

  /** The type of what the operators are given: rows become int8 only as they are multiplied. */
  DType activationType() {
    return type.isReal() ? type : DType.F32;
  }
}
