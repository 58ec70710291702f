// SPDX-License-Identifier: Apache-2.0
/** Trying the ways of a step that are predicted to be the best, for real. */
@NullMarked
package io.github.gemmflow.measure.tune;

import org.jspecify.annotations.NullMarked;
