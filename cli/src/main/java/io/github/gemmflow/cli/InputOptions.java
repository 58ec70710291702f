// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import io.github.gemmflow.kernel.WeightLayout;
import picocli.CommandLine.Option;

/** Option for the layout of B in its file. */
final class InputOptions {
  /** What {@link WeightLayout} knows, as it is written on a command line. */
  enum Layout {
    IN_OUT("in-out", WeightLayout.IN_OUT),
    OUT_IN("out-in", WeightLayout.OUT_IN);

    private final String title;
    private final WeightLayout layout;

    Layout(String title, WeightLayout layout) {
      this.title = title;
      this.layout = layout;
    }

    @Override
    public String toString() {
      return title;
    }
  }

  @Option(
      names = "--layout",
      defaultValue = "in-out",
      description =
          "layout of B: in-out is K x N; out-in is N x K, as in checkpoints (default: in-out)")
  private Layout layout = Layout.IN_OUT;

  WeightLayout layout() {
    return layout.layout;
  }
}
