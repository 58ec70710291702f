// SPDX-License-Identifier: Apache-2.0
/** Machine that checks look at, and what they find. */
@NullMarked
package io.github.gemmflow.cli.doctor.check;

import org.jspecify.annotations.NullMarked;
