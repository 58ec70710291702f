// SPDX-License-Identifier: Apache-2.0
/** Rounds in which all ranks of a world time the same things, and what the times say. */
@NullMarked
package io.github.gemmflow.measure;

import org.jspecify.annotations.NullMarked;
