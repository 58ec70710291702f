// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system.ranks;

import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.matrix.DType;

/**
 * Rank that joins the world, and opens a workspace for as many MiB of A as the argument says, if
 * any.
 */
public final class Joins {
  private Joins() {}

  public static void main(String[] arguments) {
    try (World world = World.join()) {
      if (arguments.length > 0) {
        long rows = Long.parseLong(arguments[0]) << 20;
        try (Workspace space =
            Workspace.on(world.group()).rows(rows / 2).columns(1).type(DType.BF16).open()) {
          Report.figure("rank " + world.rank() + ": " + space);
        }
      }
      Report.ok("rank %d of %d has joined".formatted(world.rank(), world.size()));
    }
  }
}
