// SPDX-License-Identifier: Apache-2.0
/**
 * Models as Hugging Face has them: {@code config.json}, and weights in one or several safetensors
 * files.
 */
@NullMarked
package io.github.gemmflow.models.checkpoint;

import org.jspecify.annotations.NullMarked;
