// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.plan.Domains;
import io.github.gemmflow.window.Bell;
import io.github.gemmflow.window.Counters;
import io.github.gemmflow.window.Window;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Finds out which ranks share memory by sharing it, never by comparing host names: every rank makes
 * a file with a random name, and looks for the files of the others. What is found first becomes the
 * home of the bells of all ranks of that host.
 */
final class Neighbours implements AutoCloseable {
  private static final int LANES = 2;

  private final Domains domains;
  private final Window window;
  private final Bell[] computeBells;
  private final Counters toldToEnd;

  private Neighbours(Domains domains, Window window) {
    this.domains = domains;
    this.window = window;
    this.computeBells = new Bell[domains.ranks()];
    for (int rank = 0; rank < computeBells.length; rank++) {
      computeBells[rank] = new Bell(window.memory(), LANES * rank);
    }
    this.toldToEnd = new Counters(window.memory(), Bell.bytes(LANES * domains.ranks()));
  }

  /** Collective over all ranks of the job. */
  static Neighbours find(Agreement agreement, Engine engine, Path directory) {
    String call = "joining the world";
    int rank = engine.rank();
    long bytes = Bell.bytes(LANES * engine.size()) + Counters.bytes(engine.size());
    String token = Window.newToken();
    Window[] own = new Window[1];
    Window shared = null;
    boolean found = false;
    try {
      agreement.reach(
          call,
          Map.of("version", Version.TEXT),
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
      Neighbours neighbours = new Neighbours(domains(agreement, call, leader), shared);
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

  /** The ranks that found the same window are neighbours. */
  private static Domains domains(Agreement agreement, String call, int leader) {
    byte[][] leaders = agreement.exchange(call, Integer.toString(leader).getBytes(UTF_8));
    int[] labels = new int[leaders.length];
    for (int rank = 0; rank < labels.length; rank++) {
      labels[rank] = Integer.parseInt(new String(leaders[rank], UTF_8));
    }
    return Domains.of(labels);
  }

  private static String fileName(Engine engine, byte[] token) {
    return Window.name(engine.island(), new String(token, UTF_8));
  }

  private static boolean isHere(Path directory, Engine engine, byte[] token) {
    return Files.isRegularFile(directory.resolve(fileName(engine, token)));
  }

  Domains domains() {
    return domains;
  }

  /** What the compute threads of a rank of this host sleep on. */
  Bell computeBell(int rank) {
    return computeBells[rank];
  }

  /** What the comm thread of a rank of this host sleeps on. */
  Bell commBell(int rank) {
    return new Bell(window.memory(), LANES * rank + 1);
  }

  /** Whether a compute thread of a rank's host sleeps: then it waits for something. */
  boolean doesAnyComputeThreadSleep(int rank) {
    int domain = domains.of(rank);
    for (int i = 0; i < domains.size(domain); i++) {
      if (computeBells[domains.member(domain, i)].hasSleepers()) {
        return true;
      }
    }
    return false;
  }

  /** Says that a rank of this host was told to end. */
  void tellToEnd(int rank) {
    toldToEnd.publish(rank, 1);
  }

  /** Whether all ranks of a rank's host were told to end. */
  boolean areAllToldToEnd(int rank) {
    int domain = domains.of(rank);
    for (int i = 0; i < domains.size(domain); i++) {
      if (toldToEnd.get(domains.member(domain, i)) == 0) {
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
