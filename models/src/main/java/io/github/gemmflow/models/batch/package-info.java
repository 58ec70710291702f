// SPDX-License-Identifier: Apache-2.0
/** Texts that a decoder continues together: any may join or leave between two passes. */
@NullMarked
package io.github.gemmflow.models.batch;

import org.jspecify.annotations.NullMarked;
