// SPDX-License-Identifier: Apache-2.0
/** What the threads of a rank did, as events of the JDK's Flight Recorder. */
@NullMarked
package io.github.gemmflow.trace.jfr;

import org.jspecify.annotations.NullMarked;
