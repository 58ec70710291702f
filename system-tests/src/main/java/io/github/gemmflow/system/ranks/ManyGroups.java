// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system.ranks;

import io.github.gemmflow.Group;
import io.github.gemmflow.ReplicaGroups;
import io.github.gemmflow.World;

/**
 * Rank that makes and closes groups, as many as the argument says: more than MPICH has
 * communicators.
 */
public final class ManyGroups {
  private ManyGroups() {}

  public static void main(String[] arguments) {
    int groups = Integer.parseInt(arguments[0]);
    World.run(
        world ->
            Report.run(
                groups + " groups in sequence",
                () -> {
                  for (int i = 0; i < groups; i++) {
                    try (Group group = world.split(ReplicaGroups.ofSize(world.size()))) {
                      Report.check(group.size() == world.size(), group.toString());
                    }
                  }
                }));
  }
}
