// SPDX-License-Identifier: Apache-2.0
/**
 * A server that answers requests with a model on all ranks of a job. Start reading at {@code
 * RankLoop}, which every rank runs: rank 0 tells the others by a broadcast what is new, and all run
 * the next pass. {@code Serve} is the program.
 */
@NullMarked
package io.github.gemmflow.examples.service;

import org.jspecify.annotations.NullMarked;
