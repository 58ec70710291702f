// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.generate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

class CompareTest {
  /** Of each prompt, rows of an RMS of 5: the tokens are 0, 1, 2 and 1, 3. */
  private static final float[][][] LOGITS = {
    {{9, 3, 3, -1}, {-3, 9, 3, 1}, {1, -3, 9, 3}}, {{3, 9, 3, 1}, {-1, 3, 3, 9}}
  };

  @TempDir private Path directory;
  private final Terminal terminal = new Terminal();
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
  private int compare(String... options) throws IOException {
    List<String> all = new ArrayList<>();
    all.add(write("expected", LOGITS).toString());
    all.add(write("actual", actual).toString());
    all.addAll(List.of(options));
    return terminal.run(new Compare(), all.toArray(new String[0]));
  }

  private void assertSaid(String... lines) {
    assertEquals(List.of(lines), terminal.out().lines().toList());
  }

  @Test
  void equalFiles() throws IOException {
    assertEquals(0, compare("--bound", "0", "--same-tokens"), terminal::err);
    assertSaid("5 of 5 rows compared: no logit is off", "2 of 2 prompts have the same tokens");
  }

  @Test
  void aLogitThatIsOff() throws IOException {
    actual[0][2][0] = 2.5f;
    actual[1][0][2] = 1; // by more
    assertEquals(0, compare("--bound", "0.41", "--same-tokens"), terminal::err);
    assertSaid(
        "5 of 5 rows compared: no logit is off by more than 0.400 RMS, as logit 2 of prompt.1, row 0, is: 1.0 instead of 3.0",
        "2 of 2 prompts have the same tokens");
    assertEquals(1, compare("--bound", "0.39"));
    assertEquals(0, compare());
  }

  @Test
  void anotherToken() throws IOException {
    actual[0][1][2] = 9.5f;
    actual[0][2][0] = 1000; // which continues another text
    assertEquals(1, compare("--same-tokens"), terminal::err);
    assertSaid(
        "4 of 5 rows compared: no logit is off by more than 1.30 RMS, as logit 2 of prompt.0, row 1, is: 9.5 instead of 3.0",
        "1 of 2 prompts have the same tokens",
        "prompt.0, row 1: token 2 instead of 1, which led by 1.20 RMS");
    assertEquals(0, compare("--bound", "1.31"));
  }

  /** A sequence that met another token may have met its stop token, too. */
  @Test
  void afterAnotherTokenLengthsMayDiffer() throws IOException {
    actual[0] = new float[][] {{3, 9, 3, -1}};
    assertEquals(0, compare(), terminal::err);
    assertTrue(terminal.out().startsWith("3 of 5 rows compared"), terminal::out);
  }

  @Test
  void whatIsNotANumberExceedsEveryBound() throws IOException {
    actual[1][1][0] = Float.NaN;
    assertEquals(1, compare("--bound", "1e30"), terminal::err);
    assertTrue(terminal.out().contains("more than NaN RMS"), terminal::out);
    assertTrue(terminal.out().contains("NaN instead of -1.0"), terminal::out);
  }

  @Test
  void whatCannotBeComparedIsRefused() throws IOException {
    actual[1] = new float[][] {LOGITS[1][0]};
    assertEquals(1, compare());
    assertTrue(
        terminal.err().contains("prompt.1 was continued with 2 tokens here and 1 there"),
        terminal::err);
    actual[0] = new float[][] {{1}};
    assertEquals(1, compare());
    assertTrue(terminal.err().contains("prompt.0 is 3 x 4 F32 here"), terminal::err);
    actual = new float[][][] {LOGITS[0]};
    assertEquals(1, compare());
    assertTrue(terminal.err().contains("not about the same prompts"), terminal::err);
    String nothing = write("nothing").toString();
    assertEquals(1, terminal.run(new Compare(), nothing, nothing));
    assertTrue(terminal.err().contains("there are no logits"), terminal::err);
  }

  /** As the README does it. */
  @Test
  void oneRankAndTwo() {
    terminal.makeAModel(directory);
    for (String ranks : List.of("1", "2")) {
      String all = "--model " + directory + " --type f32 --tokens 4 --random-prompts 3 --local ";
      all += ranks + " --logits-out " + directory.resolve(ranks);
      assertEquals(0, terminal.run(new Generate(), all.split(" ")), terminal::err);
    }
    String one = directory.resolve("1").toString();
    String two = directory.resolve("2").toString();
    int code = terminal.run(new Compare(), one, two, "--bound", "1e-4", "--same-tokens");
    assertEquals(0, code, terminal::out);
    assertTrue(terminal.out().contains("3 of 3 prompts have the same tokens"), terminal::out);
  }
}
