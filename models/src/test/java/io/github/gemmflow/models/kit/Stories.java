// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.kit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A real model, stories260K, whose weights are not part of this repository. Its directory is within
 * the one that {@code -Dgemmflow.models=DIR} gives.
 */
public final class Stories {
  public static final Path MODEL =
      Path.of(System.getProperty("gemmflow.models", "../../shared/models"), "stories260K");

  private Stories() {}

  public static boolean isThere() {
    return Files.isDirectory(MODEL);
  }

  /** What a token stands for. */
  public static final class Piece {
    private final float score;
    private final byte[] bytes;

    private Piece(float score, byte[] bytes) {
      this.score = score;
      this.bytes = bytes;
    }

    public float score() {
      return score;
    }

    public byte[] bytes() {
      return bytes.clone();
    }
  }

  /** One piece for each token: a score, a length and bytes each, after one number. */
  public static List<Piece> pieces() throws IOException {
    ByteBuffer file =
        ByteBuffer.wrap(Files.readAllBytes(MODEL.resolve("tok512.bin")))
            .order(ByteOrder.LITTLE_ENDIAN);
    file.getInt();
    List<Piece> pieces = new ArrayList<>();
    while (file.hasRemaining()) {
      float score = file.getFloat();
      byte[] bytes = new byte[file.getInt()];
      file.get(bytes);
      pieces.add(new Piece(score, bytes));
    }
    return pieces;
  }
}
