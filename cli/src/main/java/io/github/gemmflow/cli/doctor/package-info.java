// SPDX-License-Identifier: Apache-2.0
/** What this machine has of all that Gemmflow needs, and what fixes what is missing. */
@NullMarked
package io.github.gemmflow.cli.doctor;

import org.jspecify.annotations.NullMarked;
