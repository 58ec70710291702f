// SPDX-License-Identifier: Apache-2.0
/** Choices about how rows travel and threads wait, none of which changes a result. */
@NullMarked
package io.github.gemmflow.tuning;

import org.jspecify.annotations.NullMarked;
