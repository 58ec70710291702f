// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.peers;

import com.github.tjake.jlama.model.AbstractModel;
import com.github.tjake.jlama.model.ModelSupport;
import com.github.tjake.jlama.model.functions.Generator.Response;
import com.github.tjake.jlama.safetensors.DType;
import com.github.tjake.jlama.safetensors.SafeTensorSupport;
import com.github.tjake.jlama.safetensors.prompt.PromptContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;

/**
 * Program that continues a prompt with Jlama, on one thread, a few times before it is timed. The
 * first time, it writes the model with weights of four bits, as Jlama's own command does.
 */
final class JlamaRun {
  private JlamaRun() {}

  /**
   * Runs it.
   *
   * @param arguments directory of the model, prompt, how many tokens to add, runs before the timed
   *     one
   */
  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[0]);
    int tokens = Integer.parseInt(arguments[2]);
    int runs = Integer.parseInt(arguments[3]) + 1;
    Path small = directory.resolve("q4");
    if (!Files.exists(small)) {
      SafeTensorSupport.quantizeModel(
          directory, DType.Q4, new String[] {"norm"}, new String[0], Optional.of(small));
    }
    AbstractModel model =
        ModelSupport.loadModel(
            small.toFile(), null, DType.F32, DType.I8, Optional.empty(), Optional.of(1));
    PromptContext prompt = PromptContext.of(arguments[1]);
    // It counts those of the prompt, and one for the beginning.
    int all = arguments[1].length() + 1 + tokens;
    for (int run = 1; run <= runs; run++) {
      Response response = model.generate(UUID.randomUUID(), prompt, 0, all, (token, millis) -> {});
      if (response.generatedTokens != tokens) {
        throw new IllegalStateException(
            "%d tokens instead of %d".formatted(response.generatedTokens, tokens));
      }
      if (run == runs) {
        System.out.printf(
            "prefill %d ms, decode %d ms%n", response.promptTimeMs, response.generateTimeMs);
      }
    }
    System.exit(0);
  }
}
