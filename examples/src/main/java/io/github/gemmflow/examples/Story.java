// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples;

import io.github.gemmflow.World;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.models.batch.Sampler;
import io.github.gemmflow.models.checkpoint.Checkpoint;
import io.github.gemmflow.models.decoder.Decoder;
import io.github.gemmflow.models.decoder.Sequence;
import io.github.gemmflow.models.decoder.Weights;
import io.github.gemmflow.models.parallel.Shares;
import io.github.gemmflow.text.TextStream;
import io.github.gemmflow.text.Tokenizer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Text that a model continues, in a program of your own: each rank has its part of every layer.
 *
 * <p>{@code examples/run Story DIR "Once upon a time"} runs alone, {@code mpirun -n 2 examples/run
 * Story DIR "Once upon a time"} on two ranks. DIR is a model as Hugging Face has it.
 */
final class Story {
  private static final int TOKENS = 100;

  private Story() {}

  public static void main(String[] arguments) {
    World.run(
        world -> {
          String text = tell(world, Path.of(arguments[0]), arguments[1]);
          if (world.rank() == 0) {
            System.out.println(arguments[1] + text);
          }
        });
  }

  /** Returns how the model continues a text. Collective. */
  static String tell(World world, Path model, String beginning) throws IOException {
    try (Checkpoint checkpoint = Checkpoint.open(model);
        Tokenizer tokenizer = Tokenizer.of(model).orElseThrow()) {
      int[] prompt = tokenizer.encode(beginning);
      Weights weights = Weights.of(world, checkpoint, Shares.even(world.size()), DType.BF16);
      StringBuilder story = new StringBuilder();
      try (Decoder decoder =
          new Decoder(world.group(), weights, world.tuning(), 1, prompt.length, 1)) {
        Sequence sequence = decoder.begin(prompt);
        TextStream text = new TextStream(tokenizer);
        for (int i = 0; i < TOKENS; i++) {
          // All ranks get the same logits, so that all choose the same token.
          int token = Sampler.argmax(decoder.run(List.of(sequence))[0]);
          if (checkpoint.config().ends().contains(token)) {
            break;
          }
          sequence.append(token);
          story.append(text.add(token));
        }
        return story.append(text.end()).toString();
      }
    }
  }
}
