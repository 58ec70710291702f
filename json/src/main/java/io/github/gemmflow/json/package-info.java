// SPDX-License-Identifier: Apache-2.0
/** JSON, written and read. */
@NullMarked
package io.github.gemmflow.json;

import org.jspecify.annotations.NullMarked;
