// SPDX-License-Identifier: Apache-2.0
/**
 * Answers to requests over HTTP, in the form of OpenAI's interface, on rank 0. Start reading at
 * {@code Service}; the texts themselves grow in {@link io.github.gemmflow.models.batch.RankLoop}.
 */
@NullMarked
package io.github.gemmflow.serve.http;

import org.jspecify.annotations.NullMarked;
