// SPDX-License-Identifier: Apache-2.0
/**
 * Matrices in files. Reading maps a file into memory and copies nothing; what a file claims is
 * checked before it is believed. Nothing here is collective.
 */
@NullMarked
package io.github.gemmflow.files;

import org.jspecify.annotations.NullMarked;
