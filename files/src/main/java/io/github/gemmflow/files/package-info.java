// SPDX-License-Identifier: Apache-2.0
/**
 * Matrices in files: safetensors, and NumPy's .npy. Reading maps a file into memory and copies
 * nothing; what a file claims is checked before it is believed. Nothing here is collective.
 *
 * <p>{@link io.github.gemmflow.files.MatrixFile} and {@link io.github.gemmflow.files.MatrixWriter}
 * read and write one matrix in either format; {@link io.github.gemmflow.files.SafeTensors} and
 * {@link io.github.gemmflow.files.SafeTensorsWriter} are for files with many tensors.
 */
@NullMarked
package io.github.gemmflow.files;

import org.jspecify.annotations.NullMarked;
