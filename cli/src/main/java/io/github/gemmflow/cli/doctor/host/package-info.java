// SPDX-License-Identifier: Apache-2.0
/** Checks of the system, its memory and its networks. */
@NullMarked
package io.github.gemmflow.cli.doctor.host;

import org.jspecify.annotations.NullMarked;
