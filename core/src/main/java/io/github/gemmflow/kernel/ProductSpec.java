// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kernel;

import io.github.gemmflow.matrix.DType;

/**
 * How weights are to be used in a product.
 *
 * @param output the type of C: F32, or that of A
 * @param epilogue what is done with C while it is in the cache
 * @param threads how many threads will call {@link Product#multiply} at the same time
 */
public record ProductSpec(DType output, Epilogue epilogue, int threads) {}
