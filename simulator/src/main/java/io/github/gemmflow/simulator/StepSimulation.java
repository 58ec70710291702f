// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.simulator;

import io.github.gemmflow.plan.Layout;
import io.github.gemmflow.plan.Transfers;
import io.github.gemmflow.trace.Span;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.cost.HostCosts;
import java.util.ArrayList;
import java.util.List;

/** A step in virtual time: its ranks, the network, and the chunks on their way. */
abstract class StepSimulation {
  private final Layout layout;
  private final Hosts hosts;
  private final HostCosts costs;
  private final EventQueue queue = new EventQueue();
  private final Network network;
  private final SimulatedRank[] ranks;
  private final Streams[] sends;
  private final long[][] arrived;
  private final boolean[] waking;
  private long messages;

  /**
   * A step that has not begun.
   *
   * @param recorded whether to write down what threads do
   */
  StepSimulation(
      Layout layout, Hosts hosts, Conditions conditions, Network network, boolean recorded) {
    this.layout = layout;
    this.hosts = hosts;
    this.costs = conditions.costs().host();
    this.network = network;
    this.ranks = new SimulatedRank[hosts.ranks()];
    this.sends = new Streams[hosts.ranks()];
    this.arrived = new long[hosts.count()][layout.routes()];
    this.waking = new boolean[hosts.ranks()];
    for (int rank = 0; rank < ranks.length; rank++) {
      ranks[rank] = new SimulatedRank(queue, conditions, rank, recorded);
    }
  }

  /** Finds the transfers of a rank. */
  abstract void fill(Transfers transfers);

  /** How many chunks of a route a rank may send so far. */
  abstract long sendable(int rank, int route);

  /** How many chunks of a route a host has room for. */
  abstract long receivable(int host, int route);

  /** A route into the host of a rank has come on. */
  abstract void news(int rank, int route);

  /** A chunk of a stream has left a rank. */
  abstract void sent(int rank, int stream);

  /** Starts the next piece of work of a rank that has none, if there is one. */
  abstract void work(int rank);

  final SimulatedStep run() {
    for (int rank = 0; rank < ranks.length; rank++) {
      Transfers transfers = new Transfers(rank);
      fill(transfers);
      sends[rank] = new Streams(transfers.sends(), layout.inFlight());
    }
    queue.at(
        Math.round(costs.stepNanos()),
        () -> {
          for (int rank = 0; rank < ranks.length; rank++) {
            begin(rank);
          }
        });
    queue.run();
    return result();
  }

  private void begin(int rank) {
    send(rank);
    work(rank);
  }

  private SimulatedStep result() {
    double nanos = 0;
    double workNanos = 0;
    double commNanos = 0;
    List<List<Span>> spans = new ArrayList<>();
    for (SimulatedRank rank : ranks) {
      nanos = Math.max(nanos, (double) rank.doneAt());
      workNanos = Math.max(workNanos, rank.workNanos());
      commNanos = Math.max(commNanos, rank.commNanos());
      if (!rank.spans().isEmpty()) {
        spans.add(rank.spans());
      }
    }
    long most = 0;
    long mostIn = 0;
    for (int host = 0; host < hosts.count(); host++) {
      mostIn = Math.max(mostIn, network.bytesIn(host));
      most = Math.max(most, Math.max(network.bytesIn(host), network.bytesOut(host)));
    }
    return new SimulatedStep(
        nanos, workNanos, commNanos, network.nanos(most), mostIn, messages, ranks[0].runs(), spans);
  }

  /** Sends what a rank may send. */
  final void send(int rank) {
    for (int i = 0; i < sends[rank].count(); i++) {
      look(rank, i);
    }
    startNext(rank);
  }

  /** Sends what a rank may send of a route. */
  final void send(int rank, int route) {
    sends[rank].ofRoute(route, stream -> look(rank, stream));
    startNext(rank);
  }

  private void look(int rank, int stream) {
    int route = sends[rank].route(stream);
    int host = hosts.hostOf(sends[rank].peer(stream));
    sends[rank].available(stream, Math.min(sendable(rank, route), receivable(host, route)));
  }

  private void startNext(int rank) {
    Streams streams = sends[rank];
    for (int i = streams.next(); i >= 0; i = streams.next()) {
      start(rank, i, streams.start(i));
    }
  }

  private void start(int rank, int stream, long chunk) {
    messages++;
    Streams streams = sends[rank];
    int route = streams.route(stream);
    long bytes = layout.bytes(route, chunk, chunk + 1);
    double handedOver = ranks[rank].communicate(handling(bytes));
    int peer = streams.peer(stream);
    int to = hosts.hostOf(peer);
    double departed = network.depart(hosts.hostOf(rank), to, handedOver, bytes);
    double there = network.arrive(to, departed, bytes);
    queue.at(
        Math.round(departed),
        () -> {
          streams.finish(stream);
          sent(rank, stream);
          startNext(rank);
        });
    queue.at(Math.round(there), () -> receive(peer, route, bytes));
  }

  private double handling(long bytes) {
    return costs.messageNanos() + bytes * costs.carryNanosPerByte();
  }

  private void receive(int rank, int route, long bytes) {
    double published = ranks[rank].communicate(handling(bytes));
    queue.at(Math.round(published), () -> publish(rank, route));
  }

  private void publish(int receiver, int route) {
    int host = hosts.hostOf(receiver);
    long chunk = arrived[host][route]++;
    long first = layout.chunkBegin(route, chunk);
    ranks[receiver].noteArrival(first, layout.chunkEnd(route, chunk) - first);
    tell(host, route);
    // Others may be waiting for this rank to pass it on.
    send(receiver, route);
  }

  /** A route of a host has come on. */
  final void tell(int host, int route) {
    for (int i = 0; i < hosts.size(host); i++) {
      int rank = hosts.member(host, i);
      news(rank, route);
      wake(rank);
    }
  }

  /** A rank that has nothing to do wakes up and looks. */
  final void wake(int rank) {
    if (!waking[rank] && isIdle(rank)) {
      waking[rank] = true;
      queue.at(queue.now() + Math.round(costs.wakeNanos()), () -> look(rank));
    }
  }

  private boolean isIdle(int rank) {
    return !ranks[rank].isWorking() && !ranks[rank].isDone();
  }

  private void look(int rank) {
    waking[rank] = false;
    if (isIdle(rank)) {
      work(rank);
    }
  }

  final SimulatedRank rank(int rank) {
    return ranks[rank];
  }

  final Streams sends(int rank) {
    return sends[rank];
  }

  final Hosts hosts() {
    return hosts;
  }

  final HostCosts costs() {
    return costs;
  }

  final EventQueue queue() {
    return queue;
  }

  /** How many chunks of a route have come to a host from others. */
  final long arrived(int host, int route) {
    return arrived[host][route];
  }
}
