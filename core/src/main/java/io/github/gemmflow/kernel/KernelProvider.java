// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kernel;

/** Provider of a kernel; found with {@link java.util.ServiceLoader}. */
public interface KernelProvider {
  /** The name that {@code gemmflow.kernel} selects it by. */
  String name();

  /** Among those that can be had, the provider with the highest preference is chosen. */
  int preference();

  /**
   * Loads the kernel.
   *
   * @throws RuntimeException with a message for a person, if it cannot be had on this machine
   */
  Kernel load();
}
