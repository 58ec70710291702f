// SPDX-License-Identifier: Apache-2.0
/** Arithmetic that models share. */
@NullMarked
package io.github.gemmflow.models.math;

import org.jspecify.annotations.NullMarked;
