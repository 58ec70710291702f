// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.decoder;

import org.jspecify.annotations.Nullable;

/** Norms of each head of queries and keys, before they are turned; Qwen 3 has them. */
record HeadNorms(@Nullable RmsNorm queries, @Nullable RmsNorm keys) {
  /** Those of a layer; without effect in models that have none. */
  static HeadNorms of(Weights weights, String name) {
    if (!weights.config().headNorms()) {
      return new HeadNorms(null, null);
    }
    int size = weights.config().headSize();
    return new HeadNorms(weights.norm(name + "q_norm", size), weights.norm(name + "k_norm", size));
  }

  /** Norms heads of a size, one after the other. */
  static void apply(@Nullable RmsNorm norm, float[] heads, int size) {
    if (norm != null) {
      for (int head = 0; head < heads.length; head += size) {
        norm.apply(heads, head);
      }
    }
  }
}
