// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.failure.EngineException;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.pipeline.step.News;
import io.github.gemmflow.pipeline.step.StepContext;
import io.github.gemmflow.pipeline.step.StepHeaders;
import io.github.gemmflow.pipeline.step.StepWindow;
import io.github.gemmflow.tuning.Hosts;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.StringJoiner;

/**
 * First messages of the steps in a buffer, between hosts: a rank's header, and its {@link Cargo}
 * behind it. Each rank sends one to a rank of every other host.
 */
final class Openings {
  private static final int NO_REQUEST = -1;
  private static final long NOT_ARRIVED = -1;
  private static final long SETTLED = -2;

  private final HostPeers peers;
  private final StepHeaders headers;
  private final News news;
  private final StepContext step;
  private final Channel channel;
  private final int tag;
  private final long mostCargo;
  private final int[] targets;
  private final int[] sources;
  private final MemorySegment[] toSend;
  private final MemorySegment[] received;
  private final int[] sends;
  private final int[] receives;
  private final long[] cargo;
  private final Block block = new Block();
  private boolean receivesStarted;
  private boolean sent;
  private int left;

  Openings(
      HostPeers peers, StepWindow window, StepContext step, Channel channel, int tag, Arena arena) {
    this.peers = peers;
    this.headers = window.headers();
    this.news = window.news();
    this.mostCargo = Cargo.mostBytes(peers.hosts().count());
    this.step = step;
    this.channel = channel;
    this.tag = tag;
    this.targets = targets(peers);
    this.sources = sources(peers);
    this.toSend = messages(targets.length, arena);
    this.received = messages(sources.length, arena);
    this.sends = new int[targets.length];
    this.receives = new int[sources.length];
    this.cargo = new long[sources.length];
    Arrays.fill(sends, NO_REQUEST);
    Arrays.fill(receives, NO_REQUEST);
  }

  private static int[] targets(HostPeers peers) {
    Hosts hosts = peers.hosts();
    int[] targets = new int[hosts.count() - 1];
    for (int i = 0; i < targets.length; i++) {
      int host = (peers.host() + 1 + i) % hosts.count();
      targets[i] = StepHeaders.owner(hosts, host, peers.rank());
    }
    return targets;
  }

  private static int[] sources(HostPeers peers) {
    Hosts hosts = peers.hosts();
    int[] sources = new int[hosts.ranks()];
    int count = 0;
    for (int rank = 0; rank < sources.length; rank++) {
      boolean remote = hosts.hostOf(rank) != peers.host();
      if (remote && StepHeaders.owner(hosts, peers.host(), rank) == peers.rank()) {
        sources[count++] = rank;
      }
    }
    return Arrays.copyOf(sources, count);
  }

  private MemorySegment[] messages(int count, Arena arena) {
    MemorySegment[] messages = new MemorySegment[count];
    for (int i = 0; i < count; i++) {
      messages[i] = arena.allocate(StepHeaders.BYTES + mostCargo, StepHeaders.BYTES);
    }
    return messages;
  }

  /** Turns to a new step. */
  void open() {
    receivesStarted = false;
    sent = false;
    left = targets.length + sources.length;
    Arrays.fill(cargo, NOT_ARRIVED);
  }

  /** The ranks that get this rank's messages. */
  int[] targets() {
    return targets;
  }

  /** The ranks that this rank gets messages from. */
  int[] sources() {
    return sources;
  }

  /** Starts to receive, unless that was done; returns whether it was not. */
  boolean startReceives() {
    if (receivesStarted) {
      return false;
    }
    receivesStarted = true;
    for (int i = 0; i < sources.length; i++) {
      receives[i] = channel.receiveUpTo(sources[i], tag, whole(received[i], mostCargo));
    }
    return true;
  }

  private Block whole(MemorySegment message, long cargoBytes) {
    long bytes = StepHeaders.BYTES + cargoBytes;
    return block.at(message, 0, 1, bytes, bytes);
  }

  boolean isSent() {
    return sent;
  }

  /** The message for a target: the cargo comes behind {@link StepHeaders#BYTES} bytes. */
  MemorySegment toSend(int target) {
    return toSend[target];
  }

  /** Starts to send the message for a target, with so many bytes of cargo. */
  void send(int target, long cargoBytes) {
    headers.copyTo(toSend[target], step.number(), peers.rank(), cargoBytes);
    sends[target] = channel.send(targets[target], tag, whole(toSend[target], cargoBytes), false);
    sent = true;
  }

  /**
   * Looks what has been sent and what has arrived.
   *
   * @param mayPublish whether what has arrived may be published
   * @throws EngineException if a message is about another step
   */
  int finish(boolean mayPublish) {
    int before = left;
    for (int i = 0; i < sends.length; i++) {
      if (sends[i] != NO_REQUEST && channel.isDone(sends[i])) {
        sends[i] = NO_REQUEST;
        left--;
      }
    }
    for (int i = 0; mayPublish && i < receives.length; i++) {
      if (receives[i] != NO_REQUEST && channel.isDone(receives[i])) {
        receives[i] = NO_REQUEST;
        left--;
        checkStep(sources[i], StepHeaders.step(received[i]));
        cargo[i] = StepHeaders.cargo(received[i]);
        headers.copyFrom(received[i], step.number(), sources[i]);
        headers.publish(sources[i], step.number());
        news.tell(peers.commReader());
        peers.ringHost();
      }
    }
    return before - left;
  }

  private void checkStep(int source, long number) {
    if (number != step.number()) {
      throw new EngineException(
          "rank %d received the header of step %d from rank %d, where that of step %d was due: the engine or Gemmflow has mixed up messages. No result was computed from it; please report this"
              .formatted(peers.rank(), number, source, step.number()));
    }
  }

  /** Whether the message of a source is here, and nobody has looked at its cargo. */
  boolean hasNewCargo(int source) {
    return cargo[source] >= 0;
  }

  /** The cargo of a source has been looked at. */
  void settle(int source) {
    cargo[source] = SETTLED;
  }

  /** How many bytes of cargo the message of a source has. */
  long cargo(int source) {
    return cargo[source];
  }

  /** The message of a source. */
  MemorySegment received(int source) {
    return received[source];
  }

  /** Whether a message is on its way out. */
  boolean isLeaving() {
    for (int request : sends) {
      if (request != NO_REQUEST) {
        return true;
      }
    }
    return false;
  }

  /** How many messages are yet to be sent or to arrive. */
  int left() {
    return left;
  }

  /** Whether all messages have been sent and have arrived. */
  boolean isDone() {
    return sent && left == 0;
  }

  void describe(StringJoiner text) {
    for (int i = 0; i < receives.length; i++) {
      if (receives[i] != NO_REQUEST) {
        text.add("rank %d did not begin the step".formatted(sources[i]));
      }
    }
  }

  /** Gives up what is under way; returns whether its memory is certainly untouched from now on. */
  boolean cancel() {
    boolean clean = cancel(sends);
    clean &= cancel(receives);
    return clean;
  }

  private boolean cancel(int[] requests) {
    boolean clean = true;
    for (int i = 0; i < requests.length; i++) {
      if (requests[i] != NO_REQUEST) {
        clean &= channel.cancel(requests[i]);
        requests[i] = NO_REQUEST;
      }
    }
    return clean;
  }
}
