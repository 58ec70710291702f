// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.plan.Layout;

/** What lays out the steps of an operator. */
public interface Layouts {
  /** The layout of the steps that take a room: every second one. */
  Layout layout(int room);
}
