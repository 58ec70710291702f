// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kit.Cases;
import io.github.gemmflow.kit.Chaos;
import io.github.gemmflow.kit.ChaosEngine;
import io.github.gemmflow.kit.Draw;
import io.github.gemmflow.kit.OperatorCase;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

/** Integer-valued inputs give exactly the integer product, whatever the way. */
class ExactnessTest {
  /** Enough for every way to be drawn. */
  private static final int ALL_WAYS = 120;

  private final Map<String, LongAdder> ways = new ConcurrentSkipListMap<>();

  @Test
  void everyElementIsExact() {
    int cases = Cases.run(getClass(), Cases.shortOrSoak(40, 200), this::runCase);
    System.out.println("ExactnessTest: steps of ranks by way: " + ways);
    assertTrue(
        cases < ALL_WAYS || ways.size() == 16,
        "three schedules, two paths and two axes; two kinds of sums with much or little room");
  }

  private void runCase(long seed) {
    Draw draw = new Draw(~seed);
    int ranks = draw.ranks();
    Config config =
        Config.builder().threads(1 + draw.below(3)).deadline(Duration.ofMinutes(2)).build();
    LocalWorld world = LocalWorld.onHosts(draw.hosts(ranks)).config(config);
    if (draw.chance(0.5)) {
      world.decorate(engine -> new ChaosEngine(engine, Chaos.delays(seed)));
    }
    world.run(
        w ->
            OperatorCase.run(w, seed)
                .forEach(way -> ways.computeIfAbsent(way, k -> new LongAdder()).increment()));
  }
}
