// SPDX-License-Identifier: Apache-2.0
/**
 * Programs that continue texts with a model: {@code Generate} does, and {@code Compare} holds two
 * runs against each other.
 */
@NullMarked
package io.github.gemmflow.examples.generate;

import org.jspecify.annotations.NullMarked;
