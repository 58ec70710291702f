// SPDX-License-Identifier: Apache-2.0
/** Costs of machines and links, from which the time of a step is predicted. */
@NullMarked
package io.github.gemmflow.tuning.cost;

import org.jspecify.annotations.NullMarked;
