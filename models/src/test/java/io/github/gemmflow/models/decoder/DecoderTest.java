// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.decoder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.Config;
import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.models.batch.Greedy;
import io.github.gemmflow.models.checkpoint.Checkpoint;
import io.github.gemmflow.models.checkpoint.RandomWeights;
import io.github.gemmflow.models.parallel.Shares;
import io.github.gemmflow.tuning.Overlap;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A model on several ranks computes what {@link Reference} computes.
 *
 * <p>The bound on logits, in units of the root mean square of a row of them. Errors count as
 * independent, so that squares add up. Let {@code rho} be the relative error that one half of a
 * layer adds by itself: two roundings of activations to BF16, each of at most {@code 2^-8} and of
 * {@code 2^-8 / sqrt(3)} on average; in F32 that of a sum of {@code k} products, {@code sqrt(k) *
 * 2^-24}. Let a half of a layer magnify the error of its input at most {@code g = 3} times: it is a
 * product of two linear functions of its input (gate and up), or of three (queries, keys, values),
 * all of size 1. What it adds to the residual stream is at most as large as what is there, so of
 * the squared error {@code e} it makes at most {@code (e + g^2 e + rho^2) / 2 = 5 e + rho^2 / 2}.
 * After four halves, that is {@code (1 + 5 + 25 + 125) rho^2 / 2}, and the last product adds {@code
 * rho^2} at most. No logit of a few thousand is off by more than 5 times what is usual.
 */
class DecoderTest {
  /** A model's {@code config.json}; what makes its family comes in the end. */
  private static String config(String family) {
    return """
    {
      "hidden_size": 96, "intermediate_size": 150, "num_hidden_layers": 2,
      "num_attention_heads": 24, "num_key_value_heads": 12, "vocab_size": 130,
      "rms_norm_eps": 1e-05, %s
    }
    """
        .formatted(family);
  }

  private static final String LLAMA = config("\"model_type\": \"llama\"");

  private static final String INT8 =
      config(
          """
          "quantization_config": {"quant_method": "compressed-tensors", "format": "int-quantized",
            "config_groups": {"group_0": {"weights": {"num_bits": 8}}}}""");

  /** Each with all that its family has; limits so near that short texts meet them. */
  enum Family {
    LLAMA_3(
        """
        "rope_theta": 500000.0, "attention_bias": true, "rope_scaling": {"rope_type": "llama3",
          "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 16}"""),
    MISTRAL("\"model_type\": \"mistral\", \"sliding_window\": 6, \"head_dim\": 6"),
    QWEN_2("\"model_type\": \"qwen2\", \"tie_word_embeddings\": true"),
    QWEN_3("\"model_type\": \"qwen3\", \"head_dim\": 8");

    private final String fields;

    Family(String fields) {
      this.fields = fields;
    }
  }

  private static final double MAGNIFIED = 5 * Math.sqrt((1 + 5 + 25 + 125) / 2.0 + 1);

  private static final int TOKENS = 16;

  /** Of different lengths, one so long that its cache grows at once. */
  private static final List<int[]> PROMPTS =
      List.of(
          new int[] {7},
          new int[] {1, 2, 3, 4, 5},
          new int[] {129, 0, 64},
          new int[] {9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 11, 22, 33, 44, 55, 66, 77, 88, 99, 111, 122});

  private static final int ROWS = PROMPTS.stream().mapToInt(prompt -> prompt.length).sum();

  @TempDir private Path directory;
  private Checkpoint checkpoint;
  private Reference reference;

  @BeforeEach
  void makeAModel() throws IOException {
    open(LLAMA, 1);
  }

  private void open(String config, int files) throws IOException {
    if (checkpoint != null) {
      checkpoint.close();
    }
    // In BF16, so that no rounding of weights is part of any error.
    Path model = Files.createTempDirectory(directory, "model");
    RandomWeights.write(model, config, DType.BF16, 42, files);
    checkpoint = Checkpoint.open(model);
    reference = new Reference(checkpoint);
  }

  @AfterEach
  void closeTheModel() {
    checkpoint.close();
  }

  private static double bound(DType type) {
    double n = 150;
    double rho =
        switch (type) {
          case F32 -> Math.sqrt(n) * 0x1p-24;
          // Of n normally distributed values the largest is about sqrt(2 ln n); steps of
          // 1/127 of it are off by 1 / sqrt(12) of a step. Rows and weights are rounded.
          case I8 -> Math.sqrt(2) * Math.sqrt(2 * Math.log(n)) / 127 / Math.sqrt(12);
          default -> Math.sqrt(2 / 3.0) * 0x1p-8;
        };
    return MAGNIFIED * rho;
  }

  /** What all ranks compute. */
  private Greedy run(
      LocalWorld world, DType type, List<int[]> prompts, int stop, double... shares) {
    List<Greedy> ranks = new CopyOnWriteArrayList<>();
    world.run(
        w -> {
          Shares each = shares.length == 0 ? Shares.even(w.size()) : Shares.of(shares);
          Weights weights = Weights.of(w, checkpoint, each, type);
          Tuning tuning = w.config().tuning();
          try (Decoder decoder = new Decoder(w.group(), weights, tuning, 2, ROWS, prompts.size())) {
            List<Integer> ends = List.of(stop);
            ranks.add(new Greedy(decoder, prompts, TOKENS, ends, token -> {}, true).run());
          }
        });
    ranks.forEach(other -> assertEquals(ranks.get(0).tokens(), other.tokens()));
    return ranks.get(0);
  }

  private Greedy run(LocalWorld world, DType type, double... shares) {
    return run(world, type, PROMPTS, -1, shares);
  }

  static List<Arguments> familiesAndRanks() {
    return Arrays.stream(Family.values())
        .flatMap(family -> Stream.of(1, 2, 3, 4).map(ranks -> Arguments.of(family, ranks)))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("familiesAndRanks")
  void everyFamilyIsWithinTheBound(Family family, int ranks) throws IOException {
    open(config(family.fields), 3);
    assertLogits(run(LocalWorld.of(ranks), DType.F32), DType.F32);
  }

  /** More ranks than key-value heads, and numbers that divide nothing. */
  @ParameterizedTest
  @ValueSource(ints = {5, 13, 24})
  void ranksMayShareKeyValueHeads(int ranks) {
    assertLogits(run(LocalWorld.of(ranks), DType.F32), DType.F32);
  }

  @Test
  void sharesMayBeUneven() throws IOException {
    open(config(Family.QWEN_2.fields), 1);
    assertLogits(run(LocalWorld.of(3), DType.F32, 5, 1, 2.5), DType.F32);
    assertLogits(run(LocalWorld.of(2), DType.I8, 100, 1), DType.I8);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void weightsMayBeInt8(int ranks) throws IOException {
    open(INT8, 2);
    assertLogits(run(LocalWorld.of(ranks), DType.F32), DType.F32);
    assertLogits(run(LocalWorld.of(ranks), DType.I8), DType.I8);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void inF32LogitsAreWithinTheBoundAndTokensAreTheSame(int ranks) {
    Greedy greedy = run(LocalWorld.of(ranks), DType.F32);
    assertLogits(greedy, DType.F32);
    assertEquals(referenceTokens(bound(DType.F32)), greedy.tokens());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void inBf16LogitsAreWithinTheBound(int ranks) {
    assertLogits(run(LocalWorld.of(ranks), DType.BF16), DType.BF16);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void inInt8LogitsAreWithinTheBound(int ranks) {
    assertLogits(run(LocalWorld.of(ranks), DType.I8), DType.I8);
  }

  @ParameterizedTest
  @EnumSource(Overlap.class)
  void betweenHostsItIsTheSame(Overlap overlap) {
    Config.Builder builder = Config.builder();
    Config config = builder.tuning(builder.tuning().withOverlap(overlap)).build();
    Greedy greedy = run(LocalWorld.onHosts(0, 0, 1, 1).config(config), DType.F32);
    assertLogits(greedy, DType.F32);
    assertEquals(run(LocalWorld.of(1), DType.F32).tokens(), greedy.tokens());
  }

  /** Rows of the layers, that is: logits are read in one piece. */
  @Test
  void rowsMayBeStreamed() {
    Config config = Config.builder().tuning(Tuning.DEFAULT.withStorage(Storage.STREAMED)).build();
    List<List<Integer>> tokens = run(LocalWorld.of(1), DType.F32).tokens();
    for (LocalWorld world : List.of(LocalWorld.of(2), LocalWorld.onHosts(0, 0, 1))) {
      assertEquals(tokens, run(world.config(config), DType.F32).tokens());
    }
  }

  /** Five rows of a first pass are divided among eight ranks; later ones are on all of them. */
  @Test
  void ranksMayHaveNoRows() {
    List<int[]> one = List.of(PROMPTS.get(1));
    List<List<Integer>> tokens = run(LocalWorld.of(8), DType.F32, one, -1).tokens();
    assertEquals(referenceTokens(0).get(1), tokens.get(0));
  }

  /** One row, from the first pass to the last. */
  @Test
  void aLoneRowIsOnAllRanks() {
    List<int[]> one = List.of(PROMPTS.get(0));
    List<List<Integer>> tokens = run(LocalWorld.of(4), DType.F32, one, -1).tokens();
    assertEquals(referenceTokens(0).get(0), tokens.get(0));
  }

  @Test
  void sequencesEndAtTheStopTokenAndOthersGoOn() {
    List<List<Integer>> whole = run(LocalWorld.of(2), DType.F32).tokens();
    int stop = whole.get(1).get(4);
    List<List<Integer>> stopped = run(LocalWorld.of(2), DType.F32, PROMPTS, stop).tokens();
    for (int i = 0; i < whole.size(); i++) {
      int at = whole.get(i).indexOf(stop);
      assertEquals(at < 0 ? whole.get(i) : whole.get(i).subList(0, at + 1), stopped.get(i));
    }
    assertTrue(stopped.get(1).size() < TOKENS, "one ends early");
    assertTrue(stopped.stream().anyMatch(s -> s.size() == TOKENS), "one does not");
  }

  @Test
  void moreRanksThanHeadsAreRefused() {
    assertRefused("25 ranks cannot share 24 heads", () -> run(LocalWorld.of(25), DType.F32));
    assertRefused("2 shares for 3 ranks", () -> run(LocalWorld.of(3), DType.F32, 1, 2));
    assertRefused("above 0", () -> run(LocalWorld.of(2), DType.F32, 1, 0));
  }

  /** A tensor that nobody uses says that the model is another. */
  @Test
  void tensorsThatAreNotKnownAreRefused() throws IOException {
    Path model = Files.createTempDirectory(directory, "model");
    RandomWeights.write(model, config(Family.QWEN_3.fields), DType.BF16, 42, 1);
    Files.writeString(model.resolve("config.json"), config("\"head_dim\": 8"));
    checkpoint.close();
    checkpoint = Checkpoint.open(model);
    assertRefused(
        "'model.layers.0.self_attn.k_norm.weight'", () -> run(LocalWorld.of(2), DType.F32));
  }

  private static void assertRefused(String part, Executable run) {
    IllegalArgumentException e = assertThrows(IllegalArgumentException.class, run);
    assertTrue(e.toString().contains(part), e.toString());
  }

  @Test
  void tokensThatDoNotExistAreRefused() {
    List<int[]> wrong = List.of(new int[] {130});
    assertRefused("no token 130", () -> run(LocalWorld.of(2), DType.F32, wrong, -1));
  }

  /** Holds every row of logits against the reference, which sees the same tokens before it. */
  private void assertLogits(Greedy greedy, DType type) {
    double worst = 0;
    for (int i = 0; i < PROMPTS.size(); i++) {
      int[] tokens = PROMPTS.get(i);
      for (int n = 0; n < TOKENS; n++) {
        float[] expected = reference.logits(tokens);
        float[] actual = greedy.logits().get(i).get(n);
        assertEquals(expected.length, actual.length);
        for (int j = 0; j < expected.length; j++) {
          double error = Math.abs(actual[j] - expected[j]) / rootMeanSquare(expected);
          worst = error > worst || Double.isNaN(error) ? error : worst;
        }
        tokens = append(tokens, greedy.tokens().get(i).get(n));
      }
    }
    System.out.printf("DecoderTest: %s is off by %.2g of %.2g%n", type, worst, bound(type));
    assertTrue(worst < bound(type), worst + " of " + bound(type));
  }

  /** What the reference chooses, where its choice is so clear that errors cannot change it. */
  private List<List<Integer>> referenceTokens(double bound) {
    List<List<Integer>> all = new ArrayList<>();
    for (int[] prompt : PROMPTS) {
      List<Integer> chosen = new ArrayList<>();
      int[] tokens = prompt;
      while (chosen.size() < TOKENS) {
        float[] logits = reference.logits(tokens);
        float[] sorted = logits.clone();
        Arrays.sort(sorted);
        float best = sorted[sorted.length - 1];
        double lead = best - sorted[sorted.length - 2];
        assertTrue(lead > 2 * bound * rootMeanSquare(logits), "choose another seed");
        int token = 0;
        while (logits[token] < best) {
          token++;
        }
        chosen.add(token);
        tokens = append(tokens, token);
      }
      all.add(chosen);
    }
    return all;
  }

  private static double rootMeanSquare(float[] values) {
    double squares = 0;
    for (float value : values) {
      squares += (double) value * value;
    }
    return Math.sqrt(squares / values.length);
  }

  private static int[] append(int[] tokens, int token) {
    int[] longer = Arrays.copyOf(tokens, tokens.length + 1);
    longer[tokens.length] = token;
    return longer;
  }
}
