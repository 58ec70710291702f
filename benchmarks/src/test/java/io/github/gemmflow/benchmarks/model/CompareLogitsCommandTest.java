// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.cli.Ran;
import io.github.gemmflow.cli.job.ExitCode;
import io.github.gemmflow.files.SafeTensorsWriter;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompareLogitsCommandTest {
  /** Of each prompt, rows of an RMS of 5: the tokens are 0, 1, 2 and 1, 3. */
  private static final float[][][] LOGITS = {
    {{9, 3, 3, -1}, {-3, 9, 3, 1}, {1, -3, 9, 3}}, {{3, 9, 3, 1}, {-1, 3, 3, 9}}
  };

  @TempDir private Path directory;
  private float[][][] actual = LOGITS;

  @BeforeEach
  void copy() {
    actual = new float[LOGITS.length][][];
    for (int prompt = 0; prompt < actual.length; prompt++) {
      actual[prompt] = new float[LOGITS[prompt].length][];
      for (int row = 0; row < actual[prompt].length; row++) {
        actual[prompt][row] = LOGITS[prompt][row].clone();
      }
    }
  }

  private Path write(String name, float[][]... logits) throws IOException {
    Path file = directory.resolve(name);
    try (Arena arena = Arena.ofConfined()) {
      SafeTensorsWriter writer = new SafeTensorsWriter();
      for (int prompt = 0; prompt < logits.length; prompt++) {
        int columns = logits[prompt][0].length;
        Matrix matrix = Matrix.allocate(DType.F32, logits[prompt].length, columns, arena);
        for (int row = 0; row < logits[prompt].length; row++) {
          matrix.rows(row, row + 1).copyFrom(logits[prompt][row]);
        }
        writer.add("prompt." + prompt, matrix);
      }
      writer.write(file);
    }
    return file;
  }

  /** Compares what is now in {@link #actual} with what it was. */
  private Ran compare(String... options) throws IOException {
    List<String> all = new ArrayList<>(List.of("compare-logits"));
    all.add(write("expected", LOGITS).toString());
    all.add(write("actual", actual).toString());
    all.addAll(List.of(options));
    return Ran.here(all.toArray(new String[0]));
  }

  private static void assertPrinted(Ran ran, int exitCode, String... lines) {
    assertEquals(exitCode, ran.exitCode(), ran::err);
    assertEquals(List.of(lines), ran.out().lines().toList());
  }

  @Test
  void equalFiles() throws IOException {
    assertPrinted(
        compare("--bound", "0", "--same-tokens"),
        0,
        "5 of 5 rows compared: no logit is off",
        "2 of 2 prompts have the same tokens");
  }

  @Test
  void aLogitThatIsOff() throws IOException {
    actual[0][2][0] = 2.5f;
    actual[1][0][2] = 1; // by more
    assertPrinted(
        compare("--bound", "0.41", "--same-tokens"),
        0,
        "5 of 5 rows compared: no logit is off by more than 0.400 RMS, as logit 2 of prompt.1, row 0, is: 1.0 instead of 3.0",
        "2 of 2 prompts have the same tokens");
    assertEquals(1, compare("--bound", "0.39").exitCode());
    compare().good();
  }

  @Test
  void anotherToken() throws IOException {
    actual[0][1][2] = 9.5f;
    actual[0][2][0] = 1000; // which continues another text
    assertPrinted(
        compare("--same-tokens"),
        1,
        "4 of 5 rows compared: no logit is off by more than 1.30 RMS, as logit 2 of prompt.0, row 1, is: 9.5 instead of 3.0",
        "1 of 2 prompts have the same tokens",
        "prompt.0, row 1: token 2 instead of 1, which led by 1.20 RMS");
    compare("--bound", "1.31").good();
  }

  /** A sequence that met another token may have met its stop token, too. */
  @Test
  void afterAnotherTokenLengthsMayDiffer() throws IOException {
    actual[0] = new float[][] {{3, 9, 3, -1}};
    Ran ran = compare().good();
    assertTrue(ran.out().startsWith("3 of 5 rows compared"), ran::out);
  }

  @Test
  void whatIsNotANumberExceedsEveryBound() throws IOException {
    actual[1][1][0] = Float.NaN;
    Ran ran = compare("--bound", "1e30");
    assertEquals(1, ran.exitCode(), ran::err);
    assertTrue(ran.out().contains("more than NaN RMS"), ran::out);
    assertTrue(ran.out().contains("NaN instead of -1.0"), ran::out);
  }

  @Test
  void whatCannotBeComparedIsRefused() throws IOException {
    actual[1] = new float[][] {LOGITS[1][0]};
    compare().bad(ExitCode.INPUT, "prompt.1 was continued with 2 tokens here and 1 there");
    actual[0] = new float[][] {{1}};
    compare().bad(ExitCode.INPUT, "prompt.0 is 3 x 4 F32 here");
    actual = new float[][][] {LOGITS[0]};
    compare().bad(ExitCode.INPUT, "not about the same prompts");
    String nothing = write("nothing").toString();
    Ran.here("compare-logits", nothing, nothing).bad(ExitCode.INPUT, "there are no logits");
  }

  /** As docs/models.md does it. */
  @Test
  void oneRankAndTwo() {
    String model = "--layers 1 --hidden 32 --heads 4 --kv-heads 2 --intermediate 40 --vocab 50";
    String make = "random-checkpoint --dtype f32 " + model + " --out " + directory;
    Ran.here(make.split(" ")).good();
    for (String ranks : List.of("1", "2")) {
      String all =
          "generate --model %s --dtype f32 --tokens 4 --random-prompts 3 --engine local -n %s --logits-out %s"
              .formatted(directory, ranks, directory.resolve(ranks));
      Ran.here(all.split(" ")).good();
    }
    String one = directory.resolve("1").toString();
    String two = directory.resolve("2").toString();
    Ran ran = Ran.here("compare-logits", one, two, "--bound", "1e-4", "--same-tokens").good();
    assertTrue(ran.out().contains("3 of 3 prompts have the same tokens"), ran::out);
  }
}
