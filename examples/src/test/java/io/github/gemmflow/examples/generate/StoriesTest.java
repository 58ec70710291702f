// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.generate;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.examples.checkpoint.Checkpoint;
import io.github.gemmflow.examples.decoder.Decoder;
import io.github.gemmflow.examples.decoder.Weights;
import io.github.gemmflow.examples.parallel.Shares;
import io.github.gemmflow.matrix.DType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A real model, of which the weights are not part of this repository: it tells the story that it
 * tells elsewhere. Its directory is given with {@code -Dgemmflow.models=DIR}.
 */
class StoriesTest {
  private static final Path MODEL =
      Path.of(System.getProperty("gemmflow.models", "../../shared/models"), "stories260K");

  @BeforeEach
  void needsTheModel() {
    assumeTrue(Files.isDirectory(MODEL), () -> "skipped: there is no model in " + MODEL);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 8})
  void aStoryIsTheSameOnAnyNumberOfRanks(int ranks) throws IOException {
    byte[] expected = Files.readAllBytes(MODEL.resolve("expected.txt"));
    assertEquals(464, expected.length);
    assertArrayEquals(expected, text(tell(LocalWorld.of(ranks), Shares.even(ranks))));
  }

  private static List<Integer> tell(LocalWorld world, Shares shares) throws IOException {
    List<List<Integer>> told = new CopyOnWriteArrayList<>();
    try (Checkpoint checkpoint = Checkpoint.open(MODEL)) {
      world.run(
          w -> {
            Weights weights = Weights.of(w, checkpoint, shares, DType.F32);
            try (Decoder decoder = new Decoder(w.group(), weights, w.config().tuning(), 1, 16, 1)) {
              List<int[]> prompt = List.of(new int[] {1});
              Greedy greedy = new Greedy(decoder, prompt, 200, List.of(), token -> {}, false);
              told.add(greedy.run().tokens().get(0));
            }
          });
    }
    return told.get(0);
  }

  /** What tokens stand for: a score, a length and bytes each, after one number. */
  private static byte[] text(List<Integer> tokens) throws IOException {
    ByteBuffer file =
        ByteBuffer.wrap(Files.readAllBytes(MODEL.resolve("tok512.bin")))
            .order(ByteOrder.LITTLE_ENDIAN);
    file.getInt();
    List<byte[]> pieces = new ArrayList<>();
    while (file.hasRemaining()) {
      file.getFloat();
      byte[] piece = new byte[file.getInt()];
      file.get(piece);
      pieces.add(piece);
    }
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    for (int token : tokens) {
      byte[] piece = pieces.get(token);
      String name = new String(piece, StandardCharsets.ISO_8859_1);
      if (name.matches("<0x[0-9A-F]{2}>")) {
        text.write(Integer.parseInt(name.substring(3, 5), 16));
      } else if (text.size() == 0 && name.startsWith(" ")) {
        text.write(piece, 1, piece.length - 1);
      } else {
        text.write(piece);
      }
    }
    return text.toByteArray();
  }
}
