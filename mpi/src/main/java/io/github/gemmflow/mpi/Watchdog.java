// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi;

import static java.lang.System.Logger.Level.ERROR;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Guard of calls in which MPI waits for other ranks and knows no deadline. A call that does not
 * return can be neither interrupted nor left, so the process ends: then its launcher ends the job.
 */
final class Watchdog {
  /** Whoever waits for such a call, too, says first what it waited for. */
  private static final Duration AFTER_OTHERS = Duration.ofSeconds(1);

  private static final System.Logger LOG = System.getLogger("io.github.gemmflow");

  private final Duration deadline;

  Watchdog(Duration deadline) {
    this.deadline = deadline;
  }

  /**
   * Makes a call.
   *
   * @param name what it is, for the message
   */
  <T> T watch(String name, Supplier<T> call) {
    CountDownLatch returned = new CountDownLatch(1);
    Thread.ofPlatform()
        .daemon()
        .name("gemmflow-watchdog")
        .start(() -> endProcessUnless(returned, name));
    try {
      return call.get();
    } finally {
      returned.countDown();
    }
  }

  private void endProcessUnless(CountDownLatch returned, String name) {
    try {
      if (!returned.await(deadline.plus(AFTER_OTHERS).toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.log(
            ERROR,
            "{0} has not returned for {1} s, so this process exits. Check that all ranks were started and are still running, and that their hosts can reach each other (addresses, firewalls, and the network that MPI chose: with Open MPI --mca btl_tcp_if_include, with MPICH -iface). If ranks are only slow to start, raise gemmflow.setup.deadline",
            name,
            deadline.toSeconds());
        Runtime.getRuntime().halt(1);
      }
    } catch (InterruptedException e) {
      // Nobody interrupts this thread.
      Thread.currentThread().interrupt();
    }
  }
}
