// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.peers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Checkpoint of random weights, in the format of Hugging Face. */
final class RandomModel {
  private RandomModel() {}

  /** Has the examples write one. */
  static void write(Shape shape, String type, Path directory)
      throws IOException, InterruptedException {
    String options =
        "--out %s --type %s --layers %d --hidden %d --intermediate %d --heads %d --kv-heads %d --vocab %d"
            .formatted(
                directory,
                type,
                shape.layers,
                shape.hidden,
                shape.intermediate,
                shape.heads,
                shape.kvHeads,
                shape.vocabulary);
    List<String> command = new ArrayList<>(List.of(Programs.examples(), "RandomCheckpoint"));
    command.addAll(List.of(options.split(" ", -1)));
    Programs.run(command);
  }
}
