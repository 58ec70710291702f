// SPDX-License-Identifier: Apache-2.0
/** Cores of a rank, and the threads that are pinned to them. */
@NullMarked
package io.github.gemmflow.setup.pin;

import org.jspecify.annotations.NullMarked;
