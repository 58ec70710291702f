// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.onnxruntime.OrtException;
import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.cli.Ran;
import io.github.gemmflow.cli.job.ExitCode;
import io.github.gemmflow.files.SafeTensors;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.models.encoder.Encoder;
import io.github.gemmflow.models.encoder.EncoderModel;
import io.github.gemmflow.models.encoder.EncoderWeights;
import io.github.gemmflow.models.parallel.Shares;
import io.github.gemmflow.text.Tokenizer;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * all-MiniLM-L6-v2, with the weights that people use, computes on several ranks what ONNX Runtime
 * computes on one.
 */
class EmbedCommandTest {
  private static final double BOUND = 1e-4;

  /** Of the model's own description; each with its cosine to the first. */
  private static final List<String> SENTENCES =
      List.of(
          "That is a happy person",
          "That is a happy dog",
          "That is a very happy person",
          "Today is a sunny day");

  private static final double[] COSINES = {1, 0.69457746, 0.94291496, 0.25687605};

  private static Path jar = Path.of("");
  private static EncoderModel model;
  private static Tokenizer tokenizer;
  private static final List<int[]> TOKENS = new ArrayList<>();
  private static final List<float[][]> EXPECTED = new ArrayList<>();

  @TempDir private Path directory;

  @BeforeAll
  static void runTheReference() throws IOException, OrtException, URISyntaxException {
    URL onnx = Objects.requireNonNull(EmbedCommandTest.class.getResource("/all-minilm-l6-v2.onnx"));
    URI file = ((JarURLConnection) onnx.openConnection()).getJarFileURL().toURI();
    jar = Path.of(file);
    model = EncoderModel.open(jar);
    tokenizer = Tokenizer.read(model.tokenizer());
    SENTENCES.forEach(sentence -> TOKENS.add(tokenizer.encode(sentence)));
    try (InputStream in = onnx.openStream();
        OnnxReference reference = new OnnxReference(in.readAllBytes())) {
      for (int[] sentence : TOKENS) {
        EXPECTED.add(reference.run(sentence));
      }
    }
  }

  @AfterAll
  static void closeTheModel() {
    tokenizer.close();
    model.close();
  }

  private static List<float[][]> run(LocalWorld world, DType type, double... shares) {
    return run(world, type, TOKENS, shares);
  }

  private static List<float[][]> run(
      LocalWorld world, DType type, List<int[]> tokens, double... shares) {
    List<List<float[][]>> ranks = new CopyOnWriteArrayList<>();
    world.run(
        w -> {
          Shares each = shares.length == 0 ? Shares.even(w.size()) : Shares.of(shares);
          EncoderWeights weights = new EncoderWeights(w, model.weights(), each, 12, type);
          try (Encoder encoder = new Encoder(w.group(), weights, 100)) {
            ranks.add(encoder.run(tokens));
          }
        });
    return ranks.get(0);
  }

  private static double worst(List<float[][]> actual) {
    double worst = 0;
    for (int s = 0; s < EXPECTED.size(); s++) {
      for (int t = 0; t < EXPECTED.get(s).length; t++) {
        for (int i = 0; i < EXPECTED.get(s)[t].length; i++) {
          double error = Math.abs(EXPECTED.get(s)[t][i] - actual.get(s)[t][i]);
          worst = error > worst || Double.isNaN(error) ? error : worst;
        }
      }
    }
    return worst;
  }

  private static void assertRight(String how, List<float[][]> actual) {
    double worst = worst(actual);
    System.out.printf("EncoderTest: %s is off by %.2g at most%n", how, worst);
    assertTrue(worst < BOUND, how + ": " + worst);
    float[] first = Encoder.vector(actual.get(0));
    for (int s = 0; s < COSINES.length; s++) {
      assertEquals(COSINES[s], Encoder.cosine(first, Encoder.vector(actual.get(s))), BOUND);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void ranksAsThreads(int ranks) {
    assertRight(ranks + " ranks, F32", run(LocalWorld.of(ranks), DType.F32));
  }

  /** The model knows 512 positions; its tokenizer.json asks to cut texts after 128 tokens. */
  @Test
  void sentencesMayBeTooLong() {
    int[] longest = tokenizer.encode("dog ".repeat(510));
    assertEquals(512, longest.length);
    List<int[]> tooLong = List.of(TOKENS.get(0), tokenizer.encode("dog ".repeat(511)));
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class, () -> run(LocalWorld.of(2), DType.F32, tooLong));
    assertTrue(e.toString().contains("sentence 1 has 513 tokens"), e.toString());
    assertTrue(e.toString().contains("the model supports at most 512"), e.toString());
  }

  @Test
  void betweenHostsAndUneven() {
    assertRight("uneven hosts", run(LocalWorld.onHosts(0, 0, 1), DType.F32, 4, 1, 2));
  }

  /** No bound is derived here: what rounding takes is said, and that sentences keep their order. */
  @ParameterizedTest
  @ValueSource(strings = {"BF16", "I8"})
  void otherTypes(DType type) {
    List<float[][]> actual = run(LocalWorld.of(2), type);
    float[] first = Encoder.vector(actual.get(0));
    double farthest = 0;
    for (int s = 0; s < COSINES.length; s++) {
      double cosine = Encoder.cosine(first, Encoder.vector(actual.get(s)));
      farthest = Math.max(farthest, Math.abs(cosine - COSINES[s]));
    }
    System.out.printf(
        "EncoderTest: %s is off by %.2g at most, a cosine by %.2g%n",
        type, worst(actual), farthest);
    assertTrue(farthest < 0.05, type + ": " + farthest);
  }

  private static Ran embed(String... more) {
    List<String> all = new ArrayList<>(List.of("embed", "--model", jar.toString()));
    all.addAll(List.of(more));
    return Ran.here(all.toArray(new String[0]));
  }

  @Test
  void asAUserCallsIt() {
    List<String> all = new ArrayList<>(List.of("--engine", "local", "-n", "2"));
    all.addAll(SENTENCES);
    Ran ran = embed(all.toArray(new String[0])).good();
    List<String> lines = ran.out().lines().toList();
    assertTrue(lines.get(0).matches("1\\.00000\\d  That is a happy person"), ran::out);
    assertTrue(lines.get(1).matches("0\\.694\\d*  That is a happy dog"), ran::out);
    embed("--engine", "local", "-n", "13", "Hello").bad(ExitCode.INPUT, "at most 12 ranks");
    embed("--heads", "5", "Hello").bad(ExitCode.INPUT, "cannot be divided among 5 heads");
  }

  @Tag("full")
  @ParameterizedTest
  @CsvSource({"openmpi, 3", "mpich, 2"})
  void ranksAsProcesses(String mpi, int ranks) throws IOException {
    Path out = directory.resolve("rows.safetensors");
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "embed",
                "--mpirun=mpirun." + mpi,
                "-n=" + ranks,
                "--model=" + jar,
                "--rows-out=" + out));
    arguments.addAll(SENTENCES);
    Ran.apart(directory, List.of(), arguments.toArray(new String[0])).good();
    List<float[][]> actual = new ArrayList<>();
    try (SafeTensors tensors = SafeTensors.open(out)) {
      for (int s = 0; s < TOKENS.size(); s++) {
        float[][] rows = new float[TOKENS.get(s).length][384];
        for (int t = 0; t < rows.length; t++) {
          tensors.tensor("sentence." + s).matrix().getRow(t, rows[t]);
        }
        actual.add(rows);
      }
    }
    assertRight("%d ranks under %s".formatted(ranks, mpi), actual);
  }
}
