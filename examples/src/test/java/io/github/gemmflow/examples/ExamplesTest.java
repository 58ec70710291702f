// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.tutorial;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.Config;
import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.World;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The programs check their results themselves. */
class TutorialTest {
  @Test
  void aRingOfHosts() {
    LocalWorld.onHosts(0, 1, 2).run(Ring::run);
  }

  @Test
  void aRingOnOneHost() {
    World.local(2, Ring::run);
  }

  @Tag("full")
  @ParameterizedTest
  @EnumSource(Storage.class)
  void aNormWhileRowsArrive(Storage storage, @TempDir Path directory) throws IOException {
    Path trace = directory.resolve("norm.json");
    Config config = Config.builder().tuning(Tuning.DEFAULT.withStorage(storage)).build();
    LocalWorld.onHosts(0, 1).config(config).run(world -> Norm.run(world, trace));
    String text = Files.readString(trace);
    assertTrue(text.contains("compute thread 0"), text);
  }
}
