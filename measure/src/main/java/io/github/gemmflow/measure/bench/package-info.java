// SPDX-License-Identifier: Apache-2.0
/** Benchmarks: a linear layer, timed in several ways on all ranks, and an all-gather. */
@NullMarked
package io.github.gemmflow.measure.bench;

import org.jspecify.annotations.NullMarked;
