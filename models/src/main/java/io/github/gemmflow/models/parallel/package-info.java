// SPDX-License-Identifier: Apache-2.0
/** How the work of a model is divided: among ranks, and among the threads of one. */
@NullMarked
package io.github.gemmflow.models.parallel;

import org.jspecify.annotations.NullMarked;
