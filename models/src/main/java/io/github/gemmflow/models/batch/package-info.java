// SPDX-License-Identifier: Apache-2.0
/**
 * Texts that a decoder continues together: any may join or leave between two passes. {@link
 * io.github.gemmflow.models.batch.RankLoop} does so on all ranks, with texts that come at any time;
 * {@link io.github.gemmflow.models.batch.Greedy} continues given prompts.
 */
@NullMarked
package io.github.gemmflow.models.batch;

import org.jspecify.annotations.NullMarked;
