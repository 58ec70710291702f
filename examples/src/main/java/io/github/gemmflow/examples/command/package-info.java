// SPDX-License-Identifier: Apache-2.0
/** What the programs share: options, errors, and the ranks that they run on. */
@NullMarked
package io.github.gemmflow.examples.command;

import org.jspecify.annotations.NullMarked;
