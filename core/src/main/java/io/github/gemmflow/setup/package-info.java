// SPDX-License-Identifier: Apache-2.0
/**
 * Set-up and end of a world: settings, engines and kernels, agreement of the ranks, the memory that
 * those of a host share, and how a job is left. Not exported.
 */
@NullMarked
package io.github.gemmflow.setup;

import org.jspecify.annotations.NullMarked;
