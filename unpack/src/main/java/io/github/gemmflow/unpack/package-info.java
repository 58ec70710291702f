// SPDX-License-Identifier: Apache-2.0
/** Native libraries that come in jars, as files that can be loaded. */
@NullMarked
package io.github.gemmflow.unpack;

import org.jspecify.annotations.NullMarked;
