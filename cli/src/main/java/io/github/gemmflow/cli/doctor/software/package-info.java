// SPDX-License-Identifier: Apache-2.0
/** Checks of Java, of the native libraries and of the settings. */
@NullMarked
package io.github.gemmflow.cli.doctor.software;

import org.jspecify.annotations.NullMarked;
