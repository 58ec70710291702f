// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.engine.local;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Exchange;
import io.github.gemmflow.matrix.Block;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/** A group of ranks of a {@link LocalFabric}. */
final class LocalChannel implements Channel {
  /** Below this many bytes a send is done at once, as in MPI; above it, when it was received. */
  private static final long EAGER_BYTES = 4096;

  private final LocalFabric fabric;
  private final String name;
  private final int[] members;
  private final int rank;
  private final LocalEngine engine;
  private final List<Transfer> requests = new ArrayList<>();
  private final Deque<Integer> unused = new ArrayDeque<>();
  private long exchanges;

  LocalChannel(LocalFabric fabric, String name, int[] members, int worldRank, LocalEngine engine) {
    this.fabric = fabric;
    this.name = name;
    this.members = members;
    this.rank = Arrays.binarySearch(members, worldRank);
    this.engine = engine;
  }

  @Override
  public int rank() {
    return rank;
  }

  @Override
  public int size() {
    return members.length;
  }

  @Override
  public int mostTag() {
    return Integer.MAX_VALUE;
  }

  @Override
  public int send(int target, int tag, Block block, boolean synchronous) {
    fabric.checkAlive();
    int request = newRequest();
    Transfer send = requests.get(request);
    LocalEngine peer = fabric.peer(members[target]);
    int host = fabric.host(members[rank]);
    if (synchronous || block.bytes() > EAGER_BYTES) {
      send.start(name, rank, tag, block, peer.mailbox(), engine);
      send.departFrom(host);
      peer.mailbox().addSend(send);
    } else {
      peer.mailbox().addBufferedSend(host, name, rank, tag, block);
      send.finished();
    }
    peer.announce();
    return request;
  }

  @Override
  public int receive(int source, int tag, Block block) {
    return receive(source, tag, block, false);
  }

  @Override
  public int receiveUpTo(int source, int tag, Block block) {
    return receive(source, tag, block, true);
  }

  private int receive(int source, int tag, Block block, boolean upTo) {
    fabric.checkAlive();
    int request = newRequest();
    Transfer receive = requests.get(request);
    receive.start(name, source, tag, block, engine.mailbox(), engine);
    receive.takeLess(upTo);
    engine.mailbox().addReceive(receive);
    return request;
  }

  private int newRequest() {
    Integer free = unused.poll();
    if (free != null) {
      return free;
    }
    requests.add(new Transfer());
    return requests.size() - 1;
  }

  @Override
  public boolean isDone(int request) {
    if (!requests.get(request).isDone()) {
      return false;
    }
    unused.push(request);
    return true;
  }

  @Override
  public boolean cancel(int request) {
    requests.get(request).cancel();
    unused.push(request);
    return true;
  }

  @Override
  public Exchange allGather(byte[] mine) {
    return fabric.meet(name + "-" + exchanges++, members, rank, mine);
  }
}
