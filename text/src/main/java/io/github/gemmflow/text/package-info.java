// SPDX-License-Identifier: Apache-2.0
/** Text into tokens of a model and out of them, and texts that end it. */
@NullMarked
package io.github.gemmflow.text;

import org.jspecify.annotations.NullMarked;
