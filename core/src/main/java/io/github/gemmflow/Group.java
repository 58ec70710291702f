// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.pipeline.WindowSize;
import io.github.gemmflow.pipeline.comm.TagRanges;
import io.github.gemmflow.pipeline.step.CommHelp;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.plan.Capacity;
import io.github.gemmflow.setup.Agreement;
import io.github.gemmflow.setup.Membership;
import io.github.gemmflow.setup.SharedWindow;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.cost.CostText;
import io.github.gemmflow.window.Bell;
import io.github.gemmflow.window.Breakage;
import io.github.gemmflow.window.Window;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Ranks that run operators together. A group ends when it is closed, or with its {@link World}.
 * Once one of its ranks has failed in a step it is broken, and every call throws {@link
 * io.github.gemmflow.failure.BrokenException}.
 */
public final class Group implements AutoCloseable {
  /** The most bytes of a broadcast: messages of MPI have less than 2 GiB with all that is added. */
  public static final int MOST_BROADCAST_BYTES = 2_000_000_000;

  private final World world;
  private final Channel channel;
  private final Window window;
  private final HostPeers members;
  private final Agreement agreement;
  private final TagRanges tags;

  /** Those that are open, with their first tags. */
  private final Map<Workspace, Integer> workspaces = new LinkedHashMap<>();

  /** Held while the group is closed: what it has mapped is not looked at meanwhile. */
  private final Object closing = new Object();

  /** Sends and receives that threads of this process wait for. */
  private final AtomicInteger transfers = new AtomicInteger();

  private volatile boolean closed;

  private Group(
      World world, Channel channel, TagRanges tags, int[] ranks, Hosts hosts, Window window) {
    this.world = world;
    this.channel = channel;
    this.tags = tags;
    this.window = window;
    Config config = world.config();
    Membership job = world.membership();
    int rank = channel.rank();
    CommHelp help = hosts.count() == 1 ? null : job.commHelp();
    this.members =
        new HostPeers(
            rank,
            hosts,
            hostBells(hosts, rank, member -> job.neighbours().computeBell(ranks[member])),
            hostBells(hosts, rank, member -> job.neighbours().commBell(ranks[member])),
            new Breakage(window.memory(), hosts.indexOf(rank)),
            job.health(),
            job.budget().callers(),
            job.budget().spinNanos(hosts.count() > 1 && help == null),
            help,
            config.deadline().toNanos(),
            config.productDeadline().toNanos());
    this.agreement = new Agreement(job.commThread(), channel, members, config.setupDeadline());
  }

  /**
   * Forms a group. Collective over its ranks.
   *
   * @param channel its own; freed if the ranks do not come to have a group
   * @param ranks their ranks in the world
   */
  static Group form(World world, Channel channel, int[] ranks) {
    Membership job = world.membership();
    Hosts hosts = job.neighbours().hosts().restrictedTo(ranks);
    int rank = channel.rank();
    TagRanges tags;
    Window window;
    try {
      tags = new TagRanges(channel.size(), channel.mostTag());
      window =
          SharedWindow.open(
              "forming a group",
              job.newAgreement(channel),
              hosts,
              rank,
              world.config().windowDirectory(),
              job.island(),
              Breakage.bytes(hosts.size(hosts.hostOf(rank))));
    } catch (RuntimeException | Error e) {
      // All ranks of the group are here, and none goes on, unless they gave up the world.
      if (!job.health().isBroken()) {
        free(world, channel, e);
      }
      throw e;
    }
    return new Group(world, channel, tags, ranks, hosts, window);
  }

  private static void free(World world, Channel channel, Throwable cause) {
    try {
      free(world, channel);
    } catch (RuntimeException e) {
      cause.addSuppressed(e);
    }
  }

  /** Frees what the engine has for a group. Collective over its ranks. */
  private static void free(World world, Channel channel) {
    boolean _ =
        world
            .membership()
            .commThread()
            .ask(
                () -> {
                  channel.close();
                  return true;
                },
                world.config().setupDeadline());
  }

  /** The bells of the ranks of this host. */
  private static Bell[] hostBells(Hosts hosts, int rank, IntFunction<Bell> bellOf) {
    int host = hosts.hostOf(rank);
    Bell[] bells = new Bell[hosts.size(host)];
    for (int i = 0; i < bells.length; i++) {
      bells[i] = bellOf.apply(hosts.member(host, i));
    }
    return bells;
  }

  /** This process's rank in the group. */
  public int rank() {
    return channel.rank();
  }

  /** The number of ranks in the group. */
  public int size() {
    return channel.size();
  }

  /** Which ranks of the group share memory. */
  public Hosts hosts() {
    return members.hosts();
  }

  /** Opens a workspace, of which all ranks want the same. Collective. */
  Workspace open(Workspace.Builder b) {
    checkOpen();
    String call = "opening a workspace";
    int firstTag = tags.next();
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("version", Version.TEXT);
    fields.put("rows", b.rows);
    fields.put("columns", b.columns);
    fields.put("type", b.types());
    fields.put("storage", b.tuning.storage() == null ? "automatic" : b.tuning.storage());
    fields.put("chunks", b.tuning.chunking());
    fields.put("slots", b.tuning.slots());
    fields.put("costs", CostText.hash(b.tuning.costs()));
    fields.put("deadline", world.config().deadline());
    fields.put("product deadline", world.config().productDeadline());
    fields.put("first tag", firstTag);
    Capacity capacity =
        agreement.reach(
            call,
            fields,
            () -> {
              checkTags();
              return WindowSize.capacity(b.rows, b.types().format(b.columns), hosts(), b.tuning);
            });
    int host = hosts().hostOf(rank());
    Window rows = openWindow(call, WindowSize.bytes(hosts(), host, capacity));
    try {
      Workspace workspace = new Workspace(b, capacity, firstTag, rows);
      // Only now: ranks that did not agree on a workspace must not count it.
      tags.take();
      synchronized (workspaces) {
        workspaces.put(workspace, firstTag);
      }
      return workspace;
    } catch (RuntimeException | Error e) {
      // All ranks had agreed, and the others go on.
      members.breakUp("rank %d could not open a workspace: %s".formatted(rank(), e));
      rows.close();
      throw e;
    }
  }

  private void checkTags() {
    synchronized (workspaces) {
      tags.checkNext(workspaces.values());
    }
  }

  /** Opens a window on every host of the group. Collective. */
  Window openWindow(String call, long bytes) {
    return SharedWindow.open(
        call,
        agreement,
        hosts(),
        rank(),
        world.config().windowDirectory(),
        world.membership().island(),
        bytes);
  }

  /**
   * Gives bytes of one rank to all. Collective; it has no deadline, since an idle server may wait
   * for work indefinitely. It does end when the process of a rank of the same host is gone, or a
   * rank has failed.
   *
   * @param root the rank that gives; the same on all ranks
   * @param payload the bytes on the root, at most {@link #MOST_BROADCAST_BYTES}; ignored, and may
   *     be null, elsewhere
   * @return the root's bytes
   */
  public byte[] broadcast(int root, byte @Nullable [] payload) {
    if (root < 0 || root >= size()) {
      throw new IllegalArgumentException(
          "the root %d is not a rank of this group of %d".formatted(root, size()));
    }
    boolean isRoot = rank() == root;
    if (isRoot && payload == null) {
      throw new IllegalArgumentException(
          "rank %d is the root of the broadcast and must provide bytes, not null".formatted(root));
    }
    checkOpen();
    String call = "in a broadcast from rank " + root;
    byte[] mine = isRoot && payload != null ? payload : new byte[0];
    if (mine.length > MOST_BROADCAST_BYTES) {
      throw agreement.refusePatiently(
          call,
          "a broadcast sends at most %,d bytes, not %,d: split it into several"
              .formatted(MOST_BROADCAST_BYTES, mine.length));
    }
    return agreement.exchangePatiently(call, mine)[root];
  }

  /**
   * Gives bytes of each rank to all. Collective; like a broadcast, it has no deadline.
   *
   * @param payload this rank's bytes: any number, at most {@link #MOST_BROADCAST_BYTES} divided by
   *     the number of ranks
   * @return the bytes of every rank, in rank order
   */
  public byte[][] allGather(byte[] payload) {
    checkOpen();
    String call = "in an all-gather of bytes";
    int most = MOST_BROADCAST_BYTES / size();
    if (payload.length > most) {
      throw agreement.refusePatiently(
          call,
          "each of %d ranks sends at most %,d bytes, not %,d: split them into several calls"
              .formatted(size(), most, payload.length));
    }
    return agreement.exchangePatiently(call, payload);
  }

  /**
   * Returns when every rank has called it. Collective; like a broadcast, it has no deadline. Steps
   * need no barrier: each waits for what it needs.
   */
  public void barrier() {
    checkOpen();
    byte[][] _ = agreement.exchangePatiently("in a barrier", new byte[0]);
  }

  /**
   * Sends bytes to another rank, which receives as many. Returns when the memory may be used again:
   * that does not say that they are there. Like a broadcast, it has no deadline. What one rank
   * sends to another is received in the same order.
   *
   * @param target another rank of the group
   * @param bytes any number, in any memory that the communication thread may access
   */
  public void send(int target, MemorySegment bytes) {
    transfer(false, target, bytes);
  }

  /**
   * Receives bytes that another rank sends.
   *
   * @param source another rank of the group
   * @param bytes where they come to: as long as what is sent; otherwise the group is broken
   */
  public void receive(int source, MemorySegment bytes) {
    transfer(true, source, bytes);
  }

  private void transfer(boolean receives, int peer, MemorySegment bytes) {
    if (peer < 0 || peer >= size() || peer == rank()) {
      throw new IllegalArgumentException(
          "rank %d can exchange bytes with another rank of this group of %d, not with rank %d"
              .formatted(rank(), size(), peer));
    }
    Operator.checkShared("the memory to " + (receives ? "receive into" : "send from"), bytes);
    if (receives && bytes.isReadOnly()) {
      throw new IllegalArgumentException(
          "bytes from rank %d cannot be received into read-only memory".formatted(peer));
    }
    checkOpen();
    transfers.incrementAndGet();
    try {
      world.membership().commThread().transfer(channel, members, receives, peer, bytes);
    } finally {
      transfers.decrementAndGet();
    }
  }

  @Override
  public String toString() {
    return "rank %d of a group of %s".formatted(rank(), hosts());
  }

  World world() {
    return world;
  }

  Channel channel() {
    return channel;
  }

  HostPeers members() {
    return members;
  }

  Agreement agreement() {
    return agreement;
  }

  /** Throws if the group or the world is closed, or the group is broken. */
  void checkOpen() {
    world.checkOpen();
    if (closed) {
      throw new IllegalStateException("the group is closed");
    }
    members.checkWhole();
  }

  boolean isClosed() {
    return closed;
  }

  /** Why the group was given up; empty if it was not, or is closed. */
  String reason() {
    synchronized (closing) {
      return closed ? "" : members.reason();
    }
  }

  private boolean isBroken() {
    synchronized (closing) {
      return !closed && members.isBroken();
    }
  }

  /** Whether a step is open on this rank. */
  boolean hasOpenStep() {
    return openWorkspaces().stream().anyMatch(w -> w.pipeline().isOpen());
  }

  /** Throws on a thread that works on a step of the group. */
  void checkNotWorking() {
    openWorkspaces().forEach(w -> w.pipeline().checkNotWorking());
  }

  /** Returns when every step that this rank begins as the first is known to its neighbours. */
  void finishLeading() {
    openWorkspaces().forEach(w -> w.pipeline().finishLeading());
  }

  /** Lets no step begin any more, and returns true, unless others need this rank in one. */
  boolean shut() {
    return isBroken() || openWorkspaces().stream().allMatch(w -> w.pipeline().shut());
  }

  private List<Workspace> openWorkspaces() {
    synchronized (workspaces) {
      return List.copyOf(workspaces.keySet());
    }
  }

  void forget(Workspace workspace) {
    synchronized (workspaces) {
      workspaces.remove(workspace);
    }
  }

  /**
   * Frees what the group holds, such as a communicator of MPI. Collective over its ranks. Does
   * nothing if the world is closed.
   *
   * @throws IllegalStateException if a workspace is open, or another thread waits in a collective
   *     call of the group
   */
  @Override
  public void close() {
    // A world that is closed by another thread waits, and then finds the group closed.
    synchronized (closing) {
      synchronized (workspaces) {
        if (!workspaces.isEmpty()) {
          throw new IllegalStateException("a workspace of the group is open: close it first");
        }
        if (closed || world.isClosed() || members.isBroken()) {
          // What a broken group holds goes with the world, which ends the job.
          return;
        }
        if (agreement.isAwaited() || transfers.get() > 0) {
          throw new IllegalStateException(
              "another thread waits in a call of the group until the other ranks make the same call: let it complete first");
        }
        closed = true;
      }
      free(world, channel);
      unmap();
      world.forget(this);
    }
  }

  /** Closes what the caller left open. */
  void closeWorkspaces() {
    openWorkspaces().forEach(Workspace::closeInAnyCase);
  }

  void unmap() {
    synchronized (closing) {
      window.close();
    }
  }
}
