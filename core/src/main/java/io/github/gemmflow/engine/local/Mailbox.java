// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.engine.local;

import io.github.gemmflow.matrix.Block;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Mailbox of one rank, where sends meet receives, first come, first served. The bytes are copied
 * under the lock, so that a removed transfer is certainly not touched any more. Thread-safe.
 */
final class Mailbox {
  private final List<Transfer> sends = new ArrayList<>();
  private final List<Transfer> receives = new ArrayList<>();
  private final Deque<Transfer> unusedBuffers = new ArrayDeque<>();
  private final List<Transfer> buffered = new ArrayList<>();

  synchronized void addSend(Transfer send) {
    sends.add(send);
  }

  /** Adds a send that is done for its sender at once. */
  synchronized void addBufferedSend(String channel, int source, int tag, Block block) {
    Transfer send = unusedBuffers.poll();
    if (send == null) {
      send = new Transfer();
    }
    send.start(channel, source, tag, block, this, null);
    send.buffer();
    buffered.add(send);
    sends.add(send);
  }

  synchronized void addReceive(Transfer receive) {
    receives.add(receive);
  }

  synchronized void remove(Transfer transfer) {
    if (!sends.remove(transfer)) {
      receives.remove(transfer);
    }
  }

  /** Completes every receive whose send is here; returns how many. */
  synchronized int deliver() {
    int delivered = 0;
    for (int i = 0; i < receives.size(); ) {
      Transfer receive = receives.get(i);
      int match = firstSendFor(receive);
      if (match < 0) {
        i++;
        continue;
      }
      Transfer send = sends.remove(match);
      receives.remove(i);
      receive.receive(send);
      receive.finish();
      send.finish();
      if (buffered.remove(send)) {
        unusedBuffers.push(send);
      }
      delivered++;
    }
    return delivered;
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
