// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.setup;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.window.Bell;
import io.github.gemmflow.window.Breakage;
import io.github.gemmflow.window.Counters;
import io.github.gemmflow.window.ProcessMark;
import io.github.gemmflow.window.Window;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Ranks that share memory, found by sharing it, never by comparing host names: every rank makes a
 * file with a random name, and looks for the files of the others. What is found first becomes the
 * home of the bells of all ranks of that host.
 */
public final class Neighbours implements AutoCloseable {
  private static final int LANES = 2;

  /** The numbers of a {@link ProcessMark}. */
  private static final int MARK_FIELDS = 3;

  private final Hosts hosts;
  private final Window window;
  private final Bell[] computeBells;
  private final Counters toldToEnd;
  private final Counters processes;

  private Neighbours(Hosts hosts, Window window) {
    this.hosts = hosts;
    this.window = window;
    this.computeBells = new Bell[hosts.ranks()];
    for (int rank = 0; rank < computeBells.length; rank++) {
      computeBells[rank] = new Bell(window.memory(), LANES * rank);
    }
    int ranks = hosts.ranks();
    this.toldToEnd = new Counters(window.memory(), toldToEndOffset(ranks));
    this.processes = new Counters(window.memory(), processesOffset(ranks));
  }

  // The window: bells, who was told to end, the processes, and why the world was given up.

  private static long toldToEndOffset(int ranks) {
    return Bell.bytes(LANES * ranks);
  }

  private static long processesOffset(int ranks) {
    return toldToEndOffset(ranks) + Counters.bytes(ranks);
  }

  private static long breakageOffset(int ranks) {
    return processesOffset(ranks) + Counters.bytes(MARK_FIELDS * ranks);
  }

  private static long bytes(int ranks) {
    return breakageOffset(ranks) + Breakage.bytes(ranks);
  }

  /**
   * Collective over all ranks of the job.
   *
   * @param same what must be the same on all ranks, by name
   */
  public static Neighbours find(
      Agreement agreement, Engine engine, Path directory, SortedMap<String, Object> same) {
    String call = "joining the world";
    int rank = engine.rank();
    long bytes = bytes(engine.size());
    String token = Window.newToken();
    Window[] own = new Window[1];
    Window shared = null;
    boolean found = false;
    try {
      agreement.reach(
          call,
          same,
          () -> own[0] = Window.create(directory, Window.name(engine.island(), token), bytes));
      byte[][] tokens = agreement.exchange(call, token.getBytes(UTF_8));
      int leader = 0;
      while (leader < rank && !isHere(directory, engine, tokens[leader])) {
        leader++;
      }
      int first = leader;
      shared =
          agreement.reach(
              call,
              Map.of(),
              () ->
                  first == rank
                      ? own[0]
                      : Window.open(directory, fileName(engine, tokens[first]), bytes));
      enter(shared, engine.size(), rank);
      Neighbours neighbours = meet(agreement, call, leader, shared);
      agreement.reach(call, Map.of(), () -> neighbours.checkShared(rank, directory));
      found = true;
      return neighbours;
    } finally {
      if (own[0] != null) {
        own[0].unlink();
        if (!found || !own[0].equals(shared)) {
          own[0].close();
        }
      }
      if (!found && shared != null) {
        shared.close();
      }
    }
  }

  /** Lets the ranks of this host find out when the process of this rank is gone. */
  private static void enter(Window window, int ranks, int rank) {
    Counters processes = new Counters(window.memory(), processesOffset(ranks));
    ProcessMark mark = ProcessMark.self();
    int first = MARK_FIELDS * rank;
    processes.publish(first + 1, mark.startTime());
    processes.publish(first + 2, mark.namespace());
    // Last: without it there is no mark.
    processes.publish(first, mark.pid());
  }

  /** The ranks that found the same window are neighbours. */
  private static Neighbours meet(Agreement agreement, String call, int leader, Window shared) {
    byte[][] leaders = agreement.exchange(call, Integer.toString(leader).getBytes(UTF_8));
    int[] labels = new int[leaders.length];
    for (int rank = 0; rank < labels.length; rank++) {
      labels[rank] = Integer.parseInt(new String(leaders[rank], UTF_8));
    }
    return new Neighbours(Hosts.of(labels), shared);
  }

  /** Throws if the marks of all ranks that found this window are not in it: they have a copy. */
  private boolean checkShared(int rank, Path directory) {
    int host = hosts.hostOf(rank);
    for (int i = 0; i < hosts.size(host); i++) {
      int member = hosts.member(host, i);
      if (process(member).isEmpty()) {
        throw new IllegalStateException(
            "ranks %d and %d both see the files in %s, but do not share the memory behind them: it is a file system that several hosts mount. Choose one in memory, for example /dev/shm, with -Dgemmflow.window.directory"
                .formatted(rank, member, directory));
      }
    }
    return true;
  }

  private static String fileName(Engine engine, byte[] token) {
    return Window.name(engine.island(), new String(token, UTF_8));
  }

  private static boolean isHere(Path directory, Engine engine, byte[] token) {
    return Files.isRegularFile(directory.resolve(fileName(engine, token)));
  }

  public Hosts hosts() {
    return hosts;
  }

  /** The place where a rank says why it gives the world up. */
  public Breakage breakage(int rank) {
    int ranks = hosts.ranks();
    return new Breakage(
        window.memory().asSlice(breakageOffset(ranks), Breakage.bytes(ranks)), rank);
  }

  /** Wakes all threads of the ranks of a rank's host. */
  public void ringHost(int rank) {
    int host = hosts.hostOf(rank);
    for (int i = 0; i < hosts.size(host); i++) {
      int member = hosts.member(host, i);
      computeBells[member].ring();
      commBell(member).ring();
    }
  }

  /** This rank leaves in good order: nobody wonders any more where its process is. */
  public void leave(int rank) {
    processes.publish(MARK_FIELDS * rank, 0);
  }

  /** The process of a rank of this host; nothing before it has entered and after it has left. */
  public Optional<ProcessMark> process(int rank) {
    int first = MARK_FIELDS * rank;
    long pid = processes.get(first);
    return pid == 0
        ? Optional.empty()
        : Optional.of(new ProcessMark(pid, processes.get(first + 1), processes.get(first + 2)));
  }

  /** What the compute threads of a rank of this host sleep on. */
  public Bell computeBell(int rank) {
    return computeBells[rank];
  }

  /** What the communication thread of a rank of this host sleeps on. */
  public Bell commBell(int rank) {
    return new Bell(window.memory(), LANES * rank + 1);
  }

  /** Whether a compute thread of a rank's host sleeps: then it waits for something. */
  public boolean doesAnyComputeThreadSleep(int rank) {
    int host = hosts.hostOf(rank);
    for (int i = 0; i < hosts.size(host); i++) {
      if (computeBells[hosts.member(host, i)].hasSleepers()) {
        return true;
      }
    }
    return false;
  }

  /** Says that a rank of this host was told to end. */
  public void tellToEnd(int rank) {
    toldToEnd.publish(rank, 1);
  }

  /** Whether all ranks of a rank's host were told to end. */
  public boolean areAllToldToEnd(int rank) {
    int host = hosts.hostOf(rank);
    for (int i = 0; i < hosts.size(host); i++) {
      if (toldToEnd.get(hosts.member(host, i)) == 0) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void close() {
    window.close();
  }
}
