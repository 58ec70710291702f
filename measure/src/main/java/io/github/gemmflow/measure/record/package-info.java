// SPDX-License-Identifier: Apache-2.0
/** Steps that are recorded, and what they show. */
@NullMarked
package io.github.gemmflow.measure.record;

import org.jspecify.annotations.NullMarked;
