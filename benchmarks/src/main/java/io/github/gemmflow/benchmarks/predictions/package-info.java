// SPDX-License-Identifier: Apache-2.0
/** Predictions held against measurements. */
@NullMarked
package io.github.gemmflow.benchmarks.predictions;

import org.jspecify.annotations.NullMarked;
