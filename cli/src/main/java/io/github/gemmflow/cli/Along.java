// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

/** Axis of A along which it is spread over the ranks. */
enum Along {
  ROWS,
  COLUMNS
}
