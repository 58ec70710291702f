// SPDX-License-Identifier: Apache-2.0
/**
 * Commands of {@code gemmflow} that measure whole models, and that make models to measure: {@code
 * benchmarks/model} runs them.
 */
@NullMarked
package io.github.gemmflow.benchmarks.model;

import org.jspecify.annotations.NullMarked;
