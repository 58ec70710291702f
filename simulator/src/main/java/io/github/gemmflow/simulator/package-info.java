// SPDX-License-Identifier: Apache-2.0
/**
 * Steps in virtual time: the plans, layouts and decisions of real ones, with costs in place of
 * work. No thread is started, and nobody waits.
 */
@NullMarked
package io.github.gemmflow.simulator;

import org.jspecify.annotations.NullMarked;
