// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

/** What of A is spread over the ranks. */
enum Along {
  ROWS,
  COLUMNS
}
