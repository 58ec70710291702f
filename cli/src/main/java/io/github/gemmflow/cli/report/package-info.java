// SPDX-License-Identifier: Apache-2.0
/** What a benchmark found, as one page for a browser. */
@NullMarked
package io.github.gemmflow.cli.report;

import org.jspecify.annotations.NullMarked;
