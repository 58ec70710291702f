// SPDX-License-Identifier: Apache-2.0
/**
 * A linear layer that all ranks of a world run, in all the ways in which it is timed, and whether
 * its results are right.
 */
@NullMarked
package io.github.gemmflow.measure.layer;

import org.jspecify.annotations.NullMarked;
