// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.decoder;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.models.checkpoint.ModelConfig;
import java.lang.foreign.Arena;

/**
 * Intermediate results of a layer, for all rows and this rank's part of the columns; all layers
 * share them. Results of products are F32; what the next product takes is in its type.
 *
 * @param attended what comes out of the attention
 * @param gated what comes out of the first half of the feed-forward part
 */
record Activations(Matrix q, Matrix k, Matrix v, Matrix attended, Matrix gated) {
  static Activations allocate(
      ModelConfig config, Part part, long maxRows, DType type, Arena arena) {
    int queries = part.heads().size() * config.headSize();
    int keys = part.kvHeads().size() * config.headSize();
    int inner = part.inner().size();
    return new Activations(
        Matrix.allocate(DType.F32, maxRows, queries, arena),
        Matrix.allocate(DType.F32, maxRows, keys, arena),
        Matrix.allocate(DType.F32, maxRows, keys, arena),
        Matrix.allocate(type, maxRows, queries, arena),
        Matrix.allocate(type, maxRows, inner, arena));
  }

  /** The first rows of all of them. */
  Activations rows(long rows) {
    return new Activations(
        q.rows(0, rows),
        k.rows(0, rows),
        v.rows(0, rows),
        attended.rows(0, rows),
        gated.rows(0, rows));
  }
}
