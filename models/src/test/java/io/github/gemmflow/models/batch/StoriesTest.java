// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.batch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.models.checkpoint.Checkpoint;
import io.github.gemmflow.models.decoder.Decoder;
import io.github.gemmflow.models.decoder.Weights;
import io.github.gemmflow.models.kit.Stories;
import io.github.gemmflow.models.parallel.Shares;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A real model tells the story that it tells elsewhere. */
class StoriesTest {
  @BeforeEach
  void needsTheModel() {
    assumeTrue(Stories.isThere(), () -> "skipped: there is no model in " + Stories.MODEL);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 8})
  void aStoryIsTheSameOnAnyNumberOfRanks(int ranks) throws IOException {
    byte[] expected = Files.readAllBytes(Stories.MODEL.resolve("expected.txt"));
    assertEquals(464, expected.length);
    assertArrayEquals(expected, text(tell(LocalWorld.of(ranks), Shares.even(ranks))));
  }

  private static List<Integer> tell(LocalWorld world, Shares shares) throws IOException {
    List<List<Integer>> told = new CopyOnWriteArrayList<>();
    try (Checkpoint checkpoint = Checkpoint.open(Stories.MODEL)) {
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

  private static byte[] text(List<Integer> tokens) throws IOException {
    List<Stories.Piece> pieces = Stories.pieces();
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    for (int token : tokens) {
      byte[] piece = pieces.get(token).bytes();
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
