// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.Config;
import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.World;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.models.checkpoint.RandomWeights;
import io.github.gemmflow.text.TestTokenizer;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The programs check their results themselves. */
class ExamplesTest {
  @Test
  void aRingOfHosts() {
    LocalWorld.onHosts(0, 1, 2).run(Ring::run);
  }

  @Test
  void aRingOnOneHost() {
    World.local(2, Ring::run);
  }

  @Test
  void aStoryIsTheSameOnAllRanks(@TempDir Path model) throws IOException {
    RandomWeights.write(
        model,
        """
        {"hidden_size": 32, "intermediate_size": 40, "num_hidden_layers": 1,
         "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 512}""",
        DType.F32,
        1,
        1);
    TestTokenizer.write(model);
    List<String> stories = new CopyOnWriteArrayList<>();
    World.local(2, world -> stories.add(Story.tell(world, model, "Once")));
    assertEquals(stories.getFirst(), stories.getLast());
    assertFalse(stories.getFirst().isEmpty());
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
