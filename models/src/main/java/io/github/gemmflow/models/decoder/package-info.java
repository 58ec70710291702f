// SPDX-License-Identifier: Apache-2.0
/**
 * A decoder of the kind of Llama, Mistral and Qwen, spread over the ranks of a group. Start reading
 * at {@code Block}: one layer and its four operators. {@code Decoder} is the whole model.
 *
 * <p>Each rank has some heads of the attention and some columns of the feed-forward part (tensor
 * parallelism). Between the operators it has some rows, that is tokens, of the residual stream
 * (sequence parallelism): an all-gather leads from rows to heads, a reduce-scatter back to rows.
 */
@NullMarked
package io.github.gemmflow.models.decoder;

import org.jspecify.annotations.NullMarked;
