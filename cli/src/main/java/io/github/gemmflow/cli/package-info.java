// SPDX-License-Identifier: Apache-2.0
/** The commands. */
@NullMarked
package io.github.gemmflow.cli;

import org.jspecify.annotations.NullMarked;
