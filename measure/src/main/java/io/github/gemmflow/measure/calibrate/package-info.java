// SPDX-License-Identifier: Apache-2.0
/** Measurement of what machines and links cost. */
@NullMarked
package io.github.gemmflow.measure.calibrate;

import org.jspecify.annotations.NullMarked;
