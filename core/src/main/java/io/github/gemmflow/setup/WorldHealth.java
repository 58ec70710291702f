// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.setup;

import io.github.gemmflow.failure.BrokenException;
import io.github.gemmflow.pipeline.step.Breakable;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.window.Breakage;

/**
 * State of the world on this host: whole, or given up for a reason that all ranks of the host know
 * at once. It holds the failures that no group knows of, such as an exception of the user's
 * program.
 */
public final class WorldHealth implements Breakable {
  private final int rank;
  private final Neighbours neighbours;
  private final Breakage breakage;
  private volatile boolean brokenHere;

  public WorldHealth(int rank, Neighbours neighbours) {
    this.rank = rank;
    this.neighbours = neighbours;
    this.breakage = neighbours.breakage(rank);
  }

  @Override
  public boolean isBroken() {
    return breakage.isBroken();
  }

  /** Whether another rank has given the world up, and this one has not noticed. */
  boolean isBrokenByAnother() {
    return isBroken() && !brokenHere;
  }

  @Override
  public BrokenException broken() {
    return new BrokenException("the world is broken: " + reason());
  }

  /** Why the world was given up; empty if it was not. */
  public String reason() {
    return breakage.reason();
  }

  @Override
  public void breakUp(String reason) {
    brokenHere = true;
    breakage.tell(reason);
    neighbours.ringHost(rank);
  }

  @Override
  public void look() {
    try {
      lookAtNeighbours();
    } catch (IllegalStateException e) {
      // Another thread has closed the world, and its memory is gone: there is nobody to look at.
    }
  }

  private void lookAtNeighbours() {
    Hosts hosts = neighbours.hosts();
    int host = hosts.hostOf(rank);
    for (int i = 0; i < hosts.size(host); i++) {
      int member = hosts.member(host, i);
      neighbours
          .process(member)
          .filter(process -> process.isGone())
          .ifPresent(
              process ->
                  breakUp(
                      "rank %d is gone: its process %d has ended without closing its world"
                          .formatted(member, process.pid())));
    }
  }
}
