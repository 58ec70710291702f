// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.peers;

import io.github.gemmflow.cli.Gemmflow;
import java.io.IOException;
import java.nio.file.Path;

/** Checkpoint of random weights, in the format of Hugging Face. */
final class RandomModel {
  private RandomModel() {}

  /** Writes one. */
  static void write(Shape shape, String type, Path directory) throws IOException {
    String options =
        "random-checkpoint --out %s --dtype %s --layers %d --hidden %d --intermediate %d --heads %d --kv-heads %d --vocab %d"
            .formatted(
                directory,
                type,
                shape.layers,
                shape.hidden,
                shape.intermediate,
                shape.heads,
                shape.kvHeads,
                shape.vocabulary);
    if (Gemmflow.commandLine().execute(options.split(" ", -1)) != 0) {
      throw new IOException("no model of random weights can be written to " + directory);
    }
  }
}
