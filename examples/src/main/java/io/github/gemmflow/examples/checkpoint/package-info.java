// SPDX-License-Identifier: Apache-2.0
/**
 * Models as Hugging Face has them: {@code config.json}, weights in one or several safetensors
 * files, and a tokenizer.
 */
@NullMarked
package io.github.gemmflow.examples.checkpoint;

import org.jspecify.annotations.NullMarked;
