// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.job;

import java.util.List;

/** Command whose subcommands run jobs. Ranks that are processes are started with its class. */
public interface MainCommand {
  /** Where its output goes. */
  CommandOutput output();

  /** The words that it was called with. */
  List<String> arguments();
}
