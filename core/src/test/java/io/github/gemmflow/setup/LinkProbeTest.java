// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.setup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.Config;
import io.github.gemmflow.Leftovers;
import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.kit.ForwardingEngine;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.tuning.Chunking;
import io.github.gemmflow.tuning.Tuning;
import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.CostText;
import io.github.gemmflow.tuning.cost.LinkCosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The links between hosts, of which each has memory of its own, are measured by who joins. */
class LinkProbeTest {
  @TempDir private Path directory;

  private final List<Path> hosts = new ArrayList<>();

  @BeforeEach
  void makeHosts() throws IOException {
    for (String name : List.of("a", "b", "c")) {
      hosts.add(Files.createDirectory(directory.resolve(name)));
    }
  }

  private Config.Builder onHost(int host) {
    return Config.builder().windowDirectory(hosts.get(host));
  }

  private Config.Builder ofRank(int rank) {
    // Two ranks on the first two hosts, one on the last.
    return onHost(rank / 2);
  }

  /** What the ranks of a world start from. */
  private static List<Tuning> join(LocalWorld world) {
    Queue<Tuning> tunings = new ConcurrentLinkedQueue<>();
    world.run(w -> tunings.add(w.tuning()));
    return List.copyOf(tunings);
  }

  @Test
  void allRanksHaveTheSameLink() {
    List<Tuning> tunings =
        join(LocalWorld.of(5).config(rank -> ofRank(rank).build()).decorate(OnRealHost::new));
    assertEquals(5, tunings.size());
    LinkCosts link = tunings.getFirst().costs().link();
    assertNotEquals(CostModel.ASSUMED.link(), link);
    assertEquals(CostModel.ASSUMED.link().latencyNanos(), link.latencyNanos());
    tunings.forEach(tuning -> assertEquals(link, tuning.costs().link()));
    String origin = tunings.getLast().costs().origin();
    assertTrue(origin.contains("the links were measured, as the job began: " + link), origin);
  }

  /**
   * Not more than three times, because it is one that takes long; and one way is slower than the
   * other.
   */
  @Test
  void theSlowestLinkCounts() {
    Map<Integer, Integer> receives = new HashMap<>();
    UnaryOperator<Engine> slow =
        engine -> engine.rank() == 2 ? new Slow(engine, receives) : new OnRealHost(engine);
    for (Tuning tuning :
        join(LocalWorld.of(5).config(rank -> ofRank(rank).build()).decorate(slow))) {
      assertTrue(tuning.costs().link().bitsPerSecond() <= 40e6, tuning.costs()::origin);
      assertEquals(Chunking.SLOW_BYTES, Chunking.BY_RULE.on(tuning.costs().link()).bytes());
    }
    assertEquals(Map.of(0, 3), receives);
  }

  @Test
  void whatIsKnownIsNotMeasured() throws IOException {
    CostModel known = CostModel.ASSUMED.withLink(LinkCosts.of(5e3, 7e9));
    Path file = Files.writeString(directory.resolve("costs"), CostText.write(known));
    for (Tuning tuning :
        join(
            LocalWorld.of(2)
                .config(rank -> onHost(rank).costs(file).build())
                .decorate(OnRealHost::new))) {
      assertEquals(7e9, tuning.costs().link().bitsPerSecond(), 1e6);
    }

    Tuning mine = Tuning.DEFAULT.withCosts(known);
    for (Tuning tuning :
        join(
            LocalWorld.of(2)
                .config(rank -> onHost(rank).tuning(mine).build())
                .decorate(OnRealHost::new))) {
      assertEquals(known, tuning.costs());
    }
  }

  @Test
  void pretendedHostsAndOneHostHaveNoLinks() {
    for (LocalWorld world : List.of(LocalWorld.onHosts(0, 1), LocalWorld.of(2))) {
      join(world).forEach(tuning -> assertEquals(CostModel.ASSUMED, tuning.costs()));
    }
  }

  @Test
  void aLinkThatCarriesNothingEndsTheJob() {
    LocalWorld world =
        LocalWorld.of(2)
            .config(rank -> onHost(rank).setupDeadline(Duration.ofSeconds(2)).build())
            .decorate(Deaf::new);
    RuntimeException e = assertThrows(RuntimeException.class, () -> join(world));
    String message = String.valueOf(e.getMessage());
    assertTrue(
        message.contains(
            "waited 2 s in measuring the links between hosts: not all of 1048576 bytes to rank "),
        message);
    Leftovers.assertNone();
  }

  /** Engine whose hosts do not share memory because each has a directory of its own. */
  private static class OnRealHost extends ForwardingEngine {
    OnRealHost(Engine engine) {
      super(engine);
    }

    @Override
    public String island() {
      return "";
    }
  }

  /** Engine that has what it receives 210 ms later: 40 Mbit/s. */
  private static final class Slow extends OnRealHost {
    private final Map<Integer, Integer> receives;

    Slow(Engine engine, Map<Integer, Integer> receives) {
      super(engine);
      this.receives = receives;
    }

    @Override
    protected Channel decorate(Channel channel) {
      return new ForwardingChannel(channel) {
        private long since;
        private int late = -1;

        @Override
        public int receive(int source, int tag, Block block) {
          late = super.receive(source, tag, block);
          receives.merge(source, 1, Integer::sum);
          since = System.nanoTime();
          return late;
        }

        @Override
        public boolean isDone(int request) {
          return (request != late || System.nanoTime() - since > 210_000_000)
              && super.isDone(request);
        }
      };
    }
  }

  /** Engine that never has what it receives. */
  private static final class Deaf extends OnRealHost {
    Deaf(Engine engine) {
      super(engine);
    }

    @Override
    protected Channel decorate(Channel channel) {
      return new ForwardingChannel(channel) {
        private int deaf = -1;

        @Override
        public int receive(int source, int tag, Block block) {
          deaf = super.receive(source, tag, block);
          return deaf;
        }

        @Override
        public boolean isDone(int request) {
          return request != deaf && super.isDone(request);
        }
      };
    }
  }
}
