// SPDX-License-Identifier: Apache-2.0
/**
 * A whole model, run by Gemmflow's example and by programs that people would use instead, on the
 * same hosts. Those programs are not part of this repository; a user says where they are.
 */
@NullMarked
package io.github.gemmflow.benchmarks.peers;

import org.jspecify.annotations.NullMarked;
