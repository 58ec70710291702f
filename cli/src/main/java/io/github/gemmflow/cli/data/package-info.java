// SPDX-License-Identifier: Apache-2.0
/** Matrices in files: made, multiplied and checked. */
@NullMarked
package io.github.gemmflow.cli.data;

import org.jspecify.annotations.NullMarked;
