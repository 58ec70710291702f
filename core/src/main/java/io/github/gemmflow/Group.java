// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.pipeline.Futures;
import io.github.gemmflow.pipeline.Members;
import io.github.gemmflow.pipeline.Pipeline;
import io.github.gemmflow.plan.Domains;
import io.github.gemmflow.window.Bell;
import io.github.gemmflow.window.Breakage;
import io.github.gemmflow.window.Window;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The ranks that run operators together. It lives as long as its {@link World}. Once one of its
 * ranks has failed in a step it is broken, and every call throws {@link
 * io.github.gemmflow.failure.BrokenException}.
 */
public final class Group {
  private final World world;
  private final Channel channel;
  private final Window window;
  private final Members members;
  private final Agreement agreement;
  private final List<Workspace> workspaces = new ArrayList<>();
  private int opened;

  /**
   * Collective over the ranks of the group.
   *
   * @param ranks their ranks in the world
   */
  Group(World world, Channel channel, int[] ranks) {
    this.world = world;
    this.channel = channel;
    Config config = world.config();
    Domains domains = world.neighbours().domains().restrictedTo(ranks);
    int rank = channel.rank();
    this.window =
        SharedWindow.open(
            "forming a group",
            new Agreement(world.commThread(), channel, null, config.setupDeadline()),
            domains,
            rank,
            config.windowDirectory(),
            world.island(),
            Breakage.bytes(domains.size(domains.of(rank))));
    this.members =
        new Members(
            rank,
            domains,
            hostBells(world, domains, ranks, rank),
            world.neighbours().commBell(ranks[rank]),
            new Breakage(window.memory(), domains.indexOf(rank)),
            world.idle(),
            config.deadline().toNanos());
    this.agreement = new Agreement(world.commThread(), channel, members, config.setupDeadline());
    world.commThread().watch(members);
  }

  private static Bell[] hostBells(World world, Domains domains, int[] ranks, int rank) {
    int domain = domains.of(rank);
    Bell[] bells = new Bell[domains.size(domain)];
    for (int i = 0; i < bells.length; i++) {
      bells[i] = world.neighbours().computeBell(ranks[domains.member(domain, i)]);
    }
    return bells;
  }

  /** This process's rank in the group. */
  public int rank() {
    return channel.rank();
  }

  public int size() {
    return channel.size();
  }

  /** Which ranks of the group share memory. */
  public Domains domains() {
    return members.domains();
  }

  /**
   * Opens a workspace: room for steps of up to {@code maxRows x maxColumns} in shared memory, twice
   * per host. Collective.
   *
   * @param maxRows the most rows of A, over all ranks, that a step may have
   * @param maxColumns the most columns of A that an operator may have
   * @param type the element type of A
   */
  public Workspace workspace(long maxRows, long maxColumns, DType type) {
    members.checkWhole();
    int firstTag = opened++ * Pipeline.tags(size());
    Workspace workspace = Workspace.open(this, maxRows, maxColumns, type, firstTag);
    synchronized (workspaces) {
      workspaces.add(workspace);
    }
    return workspace;
  }

  /**
   * Gives bytes of one rank to all. Collective; waits for as long as it takes, since a server that
   * waits for work is not late.
   *
   * @param payload the bytes on the root; ignored, and may be null, elsewhere
   * @return the root's bytes
   */
  public byte[] broadcast(int root, byte @Nullable [] payload) {
    members.checkWhole();
    return Futures.join(
        world.commThread().exchange(channel, members, c -> c.broadcast(root, payload)))[0];
  }

  World world() {
    return world;
  }

  Channel channel() {
    return channel;
  }

  Members members() {
    return members;
  }

  Agreement agreement() {
    return agreement;
  }

  boolean isBroken() {
    return members.isBroken();
  }

  void forget(Workspace workspace) {
    synchronized (workspaces) {
      workspaces.remove(workspace);
    }
  }

  /** Closes what the caller left open. */
  void close() {
    List<Workspace> left;
    synchronized (workspaces) {
      left = List.copyOf(workspaces);
    }
    left.forEach(Workspace::closeInAnyCase);
  }

  void unmap() {
    window.close();
  }
}
