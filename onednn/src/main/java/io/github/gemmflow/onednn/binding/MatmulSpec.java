// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn.binding;

import io.github.gemmflow.kernel.Activation;
import io.github.gemmflow.matrix.DType;

/**
 * The shape of a product of one height, and what is done to it. Strides count elements.
 *
 * @param rows the rows of A
 * @param inputStride from one row of A to the next
 * @param output the type of C: F32, or that of A and the weights if they are real
 * @param outputStride from one row of C to the next
 * @param bias whether something is added: a row of F32, or to rows in int8 what C holds already
 * @param activation applied last
 */
public record MatmulSpec(
    long rows,
    long inputStride,
    DType output,
    long outputStride,
    boolean bias,
    Activation activation) {}
