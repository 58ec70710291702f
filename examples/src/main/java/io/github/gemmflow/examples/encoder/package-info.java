// SPDX-License-Identifier: Apache-2.0
/** Program that says how near sentences are in what they mean. */
@NullMarked
package io.github.gemmflow.examples.encoder;

import org.jspecify.annotations.NullMarked;
