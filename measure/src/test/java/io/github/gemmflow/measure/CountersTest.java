// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class CountersTest {
  @Test
  void allLinksButTheLoopback() {
    List<String> lines =
        """
        Inter-|   Receive                                                |  Transmit
         face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets
            lo: 3333333      42    0    0    0     0          0         0  3333333      42
          eth0:     100       1    0    0    0     0          0         0      200       2
        wlan0:20       1    0    0    0     0          0         0      200       2
        """
            .lines()
            .toList();
    assertEquals(120, Counters.sumReceived(lines));
  }
}
