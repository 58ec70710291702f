// SPDX-License-Identifier: Apache-2.0
/** What the threads of a rank did, and when. */
@NullMarked
package io.github.gemmflow.trace;

import org.jspecify.annotations.NullMarked;
