// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.decoder;

import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.models.checkpoint.ModelConfig;
import io.github.gemmflow.models.parallel.Slice;

/** Biases of the products of an attention, in models that have them. */
record Biases(Epilogue q, Epilogue k, Epilogue v, Epilogue output) {
  static Biases of(Weights weights, String name) {
    ModelConfig config = weights.config();
    boolean isThere = config.inputBias();
    int size = config.headSize();
    int queries = config.heads() * size;
    int keys = config.kvHeads() * size;
    Slice mine = weights.part().heads().times(size);
    Slice mineKv = weights.part().kvHeads().times(size);
    Slice all = new Slice(0, config.hidden());
    return new Biases(
        weights.bias(isThere, name + "q_proj", queries, mine),
        weights.bias(isThere, name + "k_proj", keys, mineKv),
        weights.bias(isThere, name + "v_proj", keys, mineKv),
        weights.bias(config.outputBias(), name + "o_proj", config.hidden(), all));
  }
}
