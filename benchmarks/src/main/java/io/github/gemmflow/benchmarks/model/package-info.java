// SPDX-License-Identifier: Apache-2.0
/** Program that says what overlap gains in the first pass of a whole model. */
@NullMarked
package io.github.gemmflow.examples.prefill;

import org.jspecify.annotations.NullMarked;
