// SPDX-License-Identifier: Apache-2.0
/** A linear layer, timed in several ways on all ranks, and what the times say. */
@NullMarked
package io.github.gemmflow.cli.bench;

import org.jspecify.annotations.NullMarked;
