// SPDX-License-Identifier: Apache-2.0
/** Prediction of what a layer or a model will take. */
@NullMarked
package io.github.gemmflow.measure.predict;

import org.jspecify.annotations.NullMarked;
