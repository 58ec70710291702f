// SPDX-License-Identifier: Apache-2.0
/**
 * An encoder of the kind of BERT, spread over the ranks of a group: it makes a vector of each
 * sentence, and sentences that mean about the same get vectors of about the same direction. Start
 * reading at {@code EncoderLayer}.
 */
@NullMarked
package io.github.gemmflow.models.encoder;

import org.jspecify.annotations.NullMarked;
