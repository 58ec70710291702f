// SPDX-License-Identifier: Apache-2.0
/** Commands that run models on all ranks of a job. */
@NullMarked
package io.github.gemmflow.serve;

import org.jspecify.annotations.NullMarked;
