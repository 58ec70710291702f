// SPDX-License-Identifier: Apache-2.0
/** The distribution as it is unpacked. */
@NullMarked
package io.github.gemmflow.dist;

import org.jspecify.annotations.NullMarked;
