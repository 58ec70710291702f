// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.setup.pin;

import static java.lang.System.Logger.Level.DEBUG;
import static java.lang.System.Logger.Level.WARNING;

import io.github.gemmflow.window.linux.Affinity;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;

/**
 * CPUs for each thread of a rank. Compute thread 0 is the caller's, which is left alone, and so is
 * its CPU. The communication thread has the last CPU for itself if there are more than compute
 * threads; otherwise it may use all of the rank's, because it waits most of the time, and would
 * slow down whichever thread it shares one with.
 */
public final class ThreadPins {
  private static final System.Logger LOG = System.getLogger("io.github.gemmflow");

  private final Affinity affinity;
  private final int rank;
  private final int threads;
  private final List<Integer> cpus;

  /**
   * For a rank.
   *
   * @param threads that multiply, with the caller's
   * @param allowed the CPUs that each rank of this host may use, in the order of ranks
   * @param index of this rank among them
   */
  public ThreadPins(Affinity affinity, int rank, int threads, List<BitSet> allowed, int index) {
    this.affinity = affinity;
    this.rank = rank;
    this.threads = threads;
    BitSet own = allowed.get(index);
    // Ranks with other CPUs, such as those of another NUMA node, do not matter here.
    int before = (int) allowed.subList(0, index).stream().filter(own::equals).count();
    int sharers = (int) allowed.stream().filter(own::equals).count();
    this.cpus = HostCores.read(Path.of("/"), own).share(before, sharers);
    LOG.log(DEBUG, "rank {0} pins its threads to CPUs {1}", rank, cpus);
  }

  /** Pins the calling thread, which is a compute thread; goes on without if that fails now. */
  public void pinComputeThread(int thread) {
    BitSet one = new BitSet();
    one.set(cpus.get(thread % cpus.size()));
    try {
      affinity.bindCaller(one);
    } catch (IllegalStateException e) {
      LOG.log(WARNING, "rank {0}: compute thread {1} is not pinned: {2}", rank, thread, e);
    }
  }

  /**
   * Pins the calling thread, which is the communication thread.
   *
   * @throws IllegalStateException if that cannot be done
   */
  public void pinCommThread() {
    BitSet some = new BitSet();
    cpus.subList(cpus.size() > threads ? cpus.size() - 1 : 0, cpus.size()).forEach(some::set);
    affinity.bindCaller(some);
  }
}
