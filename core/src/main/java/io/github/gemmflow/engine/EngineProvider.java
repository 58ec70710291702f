// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.engine;

import java.time.Duration;

/** Provider of an engine; found with {@link java.util.ServiceLoader}. */
public interface EngineProvider {
  /** The name that {@code gemmflow.engine} selects it by. */
  String name();

  /** Among those that can be had, the provider with the highest preference is chosen. */
  int preference();

  /**
   * Joins the job that this process was launched in. The calling thread makes all further calls.
   *
   * @param deadline how long the ranks may take to come together
   * @throws RuntimeException with a message for a person, if it cannot
   */
  Engine connect(Duration deadline);
}
