// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kernel;

import io.github.gemmflow.matrix.DType;

/**
 * Specification of a product with packed weights.
 *
 * @param output the type of C: F32, or that of A; any type of reals for a product in int8
 * @param epilogue what is done with C while it is in the cache
 * @param threads how many threads will call {@link Product#multiply} at the same time
 */
public record ProductSpec(DType output, Epilogue epilogue, int threads) {}
