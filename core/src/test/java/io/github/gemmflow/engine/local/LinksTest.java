// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.engine.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.AllGather;
import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.Operator;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.kit.OperatorCase;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LinksTest {
  private static final double GIGABIT = 1e9;

  /** A gigabit link takes 8 ns for a byte: time enough for these messages to be in line. */
  @Test
  void messagesOfAHostWaitInLine() {
    Links links = Links.of(3, GIGABIT, Duration.ofMillis(1));
    long first = links.send(0, 1, 1_000_000_000);
    assertEquals(8_000_000, links.send(0, 2, 1_000_000) - first);
    assertEquals(8_000_000 + 80_000, links.send(0, 1, 10_000) - first);
    assertEquals(1_000_010_000, links.received(1));
    assertEquals(1_000_000, links.received(2));
  }

  @Test
  void whatArrivesAtAHostWaitsInLine() {
    Links links = Links.of(3, GIGABIT, Duration.ofMillis(1));
    long first = links.send(0, 2, 1_000_000_000);
    assertEquals(8_000_000, links.send(1, 2, 1_000_000) - first);
  }

  @Test
  void bothDirectionsAreFree() {
    Links links = Links.of(2, GIGABIT, Duration.ofMillis(1));
    long there = links.send(0, 1, 1_000_000_000);
    long back = links.send(1, 0, 1_000_000);
    assertTrue(there - back > 7_000_000_000L, there - back + " ns");
  }

  @Test
  void withinAHostThereIsNoLink() {
    Links links = Links.of(2, GIGABIT, Duration.ofMillis(1));
    assertTrue(links.send(1, 1, 1_000_000) - System.nanoTime() <= 0);
    assertEquals(0, links.received(1));
  }

  /** Rows cross once, and take the time that the link needs for them. */
  @Test
  void aGatherTakesAsLongAsItsLinks() {
    long rows = 64;
    long columns = 4096;
    long bytes = rows * columns * Float.BYTES;
    LocalWorld local = LocalWorld.onHosts(0, 0, 1, 1).links(GIGABIT / 10, Duration.ofNanos(50_000));
    local.run(
        world -> {
          try (Arena arena = Arena.ofShared();
              Workspace space = Workspace.on(world.group()).rows(4 * rows).columns(columns).open();
              Operator gather = AllGather.on(space).build()) {
            Matrix mine = Matrix.allocate(DType.F32, rows, columns, arena);
            Exact.fill(mine, 3, world.rank() * rows);
            Matrix all = Matrix.allocate(DType.F32, 4 * rows, columns, arena);
            byte[] _ = world.group().broadcast(0, new byte[1]);
            long before = local.bytesInto(world.rank());
            long begin = System.nanoTime();
            gather.run(mine, all);
            long nanos = System.nanoTime() - begin;
            Exact.check(all, 3);
            // Two ranks of the other host; 80 ns a byte.
            assertTrue(nanos >= 2 * bytes * 80, nanos + " ns");
            long came = local.bytesInto(world.rank()) - before;
            assertTrue(came <= 2 * bytes + 10_000, came + " bytes");
          }
          assertTrue(world.engineName().startsWith("simulated hosts"), world.engineName());
        });
    assertTrue(local.bytesInto(0) >= 2 * bytes);
  }

  @Test
  void anyProgramIsExact() {
    for (long seed = 1; seed <= 5; seed++) {
      long theSeed = seed;
      LocalWorld.onHosts(0, 1, 1, 2)
          .links(GIGABIT, Duration.ofNanos(200_000))
          .run(world -> OperatorCase.run(world, theSeed));
    }
  }

  @Test
  void whatCannotBeIsRefused() {
    LocalWorld world = LocalWorld.of(2);
    assertThrows(IllegalArgumentException.class, () -> world.links(-1, Duration.ZERO));
    assertThrows(IllegalArgumentException.class, () -> world.links(Double.NaN, Duration.ZERO));
    assertThrows(IllegalArgumentException.class, () -> world.links(1, Duration.ofNanos(-1)));
  }
}
