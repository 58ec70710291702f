// SPDX-License-Identifier: Apache-2.0
/**
 * Rows as they travel and are stored for others: their bytes, types and rounding. Not for programs.
 */
@NullMarked
package io.github.gemmflow.matrix.wire;

import org.jspecify.annotations.NullMarked;
