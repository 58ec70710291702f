// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.engine.local;

import io.github.gemmflow.matrix.Block;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * Mailbox of one rank, where sends meet receives, first come, first served. The bytes are copied
 * under the lock, so that a removed transfer is certainly not touched any more. Thread-safe.
 */
final class Mailbox {
  private final Links links;
  private final int host;
  private final List<Transfer> sends = new ArrayList<>();
  private final List<Transfer> receives = new ArrayList<>();
  private final Deque<Transfer> unusedBuffers = new ArrayDeque<>();
  private final List<Transfer> buffered = new ArrayList<>();

  /** Sends that have met their receives and have not arrived. */
  private final List<Transfer> underWay = new ArrayList<>();

  /**
   * Of one rank.
   *
   * @param links what messages to it come over
   * @param host the host of the rank
   */
  Mailbox(Links links, int host) {
    this.links = links;
    this.host = host;
  }

  synchronized void addSend(Transfer send) {
    sends.add(send);
  }

  /**
   * Adds a send that is done for its sender at once.
   *
   * @param from the sender's host
   */
  synchronized void addBufferedSend(int from, String channel, int source, int tag, Block block) {
    Transfer send = unusedBuffers.poll();
    if (send == null) {
      send = new Transfer();
    }
    send.start(channel, source, tag, block, this, null);
    send.buffer();
    send.departFrom(from);
    send.depart(links, host);
    buffered.add(send);
    sends.add(send);
  }

  synchronized void addReceive(Transfer receive) {
    receives.add(receive);
  }

  /** Takes a transfer out; its counterpart, if it had one, waits for another. */
  synchronized void remove(Transfer transfer) {
    for (Iterator<Transfer> all = underWay.iterator(); all.hasNext(); ) {
      Transfer send = all.next();
      if (send.equals(transfer)) {
        receives.addFirst(send.met());
        all.remove();
        return;
      }
      if (send.met().equals(transfer)) {
        sends.addFirst(send);
        all.remove();
        return;
      }
    }
    if (!sends.remove(transfer)) {
      receives.remove(transfer);
    }
  }

  /**
   * Completes every receive whose send has arrived; returns how many. A send that waits for its
   * receive departs when both are here.
   */
  synchronized int deliver() {
    match();
    int delivered = 0;
    for (int i = 0; i < underWay.size(); ) {
      Transfer send = underWay.get(i);
      if (!send.hasArrived()) {
        i++;
        continue;
      }
      underWay.remove(i);
      send.met().receive(send);
      send.met().finish();
      send.finish();
      if (buffered.remove(send)) {
        unusedBuffers.push(send);
      }
      delivered++;
    }
    return delivered;
  }

  private void match() {
    for (int i = 0; i < receives.size(); ) {
      int match = firstSendFor(receives.get(i));
      if (match < 0) {
        i++;
        continue;
      }
      Transfer send = sends.remove(match);
      send.meet(receives.remove(i));
      send.depart(links, host);
      underWay.add(send);
    }
  }

  private int firstSendFor(Transfer receive) {
    for (int i = 0; i < sends.size(); i++) {
      if (sends.get(i).matches(receive)) {
        return i;
      }
    }
    return -1;
  }
}
