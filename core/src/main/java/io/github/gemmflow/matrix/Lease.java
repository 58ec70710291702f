// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.matrix;

/** The right to use memory that belongs to someone else and will be used again for other data. */
@FunctionalInterface
public interface Lease {
  /** The lease of memory that its holder owns. */
  Lease FOREVER = () -> {};

  /** Returns while the lease lasts. */
  void check() throws IllegalStateException;
}
