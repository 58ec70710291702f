// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.tuning.Overlap;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.SumPath;
import io.github.gemmflow.tuning.Tuning;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigTest {
  private static Config load(Map<String, String> properties, Map<String, String> environment) {
    Properties all = new Properties();
    all.putAll(properties);
    return Config.load(all, environment);
  }

  @Test
  void propertiesWinOverTheEnvironmentAndThatOverDefaults() {
    Config config =
        load(
            Map.of(
                "gemmflow.deadline",
                "250ms",
                "gemmflow.schedule",
                "ring",
                "gemmflow.overlap",
                "Sequential",
                "gemmflow.sums",
                "staged"),
            Map.of(
                "GEMMFLOW_DEADLINE",
                "7s",
                "GEMMFLOW_CHUNK_ROWS",
                "12",
                "GEMMFLOW_STORAGE",
                "streamed"));
    assertEquals(Duration.ofMillis(250), config.deadline());
    assertEquals(Schedule.RING, config.tuning().schedule());
    assertEquals(12, config.tuning().chunking().rows());
    assertEquals(Storage.STREAMED, config.tuning().storage());
    assertEquals(Overlap.SEQUENTIAL, config.tuning().overlap());
    assertEquals(SumPath.STAGED, config.tuning().sums());
    assertEquals(Tuning.DEFAULT, load(Map.of(), Map.of()).tuning());
    assertEquals(Duration.ofMinutes(5), config.setupDeadline());
    assertEquals(Duration.ofMillis(2500), config.productDeadline(), "ten deadlines");
    assertEquals(1, config.threads());
  }

  @ParameterizedTest
  @CsvSource({
    "deadline, soon",
    "deadline, 5",
    "deadline, 0s",
    "deadline, 153722868m",
    "setup.deadline, 153722868m",
    "product.deadline, 0s",
    "threads, 0",
    "pin, sockets",
    "threads, many",
    "schedule, star",
    "storage, across",
    "overlap, sometimes",
    "slots, 0",
    "chunk.rows, -1",
    "chunk.bytes, -1",
    "idle, never",
    "inflight, -1",
    "inflight, 1073741825"
  })
  void whatCannotBeReadIsRefused(String name, String value) {
    Map<String, String> properties = Map.of("gemmflow." + name, value);
    assertThrows(IllegalArgumentException.class, () -> load(properties, Map.of()));
  }

  @Test
  void theMessageNamesTheSetting() {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> load(Map.of(), Map.of("GEMMFLOW_SCHEDULE", "star")));
    assertEquals(
        "GEMMFLOW_SCHEDULE=star: no schedule is named 'star'; available: " + Schedule.ALL,
        e.getMessage());
  }

  @Test
  void aKernelThatCannotBeHadIsRefused() {
    Config config = load(Map.of("gemmflow.kernel", "abacus"), Map.of());
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> World.single(config));
    assertTrue(
        e.toString().contains("no kernel is named 'abacus'; available: [reference]"),
        e.getMessage());
    Leftovers.assertNone();
  }
}
