// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve.http;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.serve.TestModel;
import io.github.gemmflow.text.Tokenizer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Right and wrong texts of a made-up model. It says "a", then "b" or "c", which are about equally
 * likely, then "de" after "b" and "fg" after "c".
 */
class GreedyTextTest {
  private static final int END = 2;

  @TempDir private Path model;
  private Tokenizer tokenizer;

  @BeforeEach
  void makeATokenizer() throws IOException {
    TestModel.writeRandom(model);
    tokenizer = Tokenizer.of(model).orElseThrow();
  }

  @AfterEach
  void closeTheTokenizer() {
    tokenizer.close();
  }

  /** In the tokenizer of the tests, bytes come after three others. */
  private static int token(char letter) {
    return 3 + letter;
  }

  private static float[] logits(List<Integer> answer, double lead) {
    float[] logits = new float[512];
    String before =
        answer.stream()
            .map(token -> Character.toString(token - token('\0')))
            .collect(Collectors.joining());
    switch (before) {
      case "" -> logits[token('a')] = 1;
      case "a" -> {
        logits[token('b')] = 1;
        logits[token('c')] = (float) (1 - lead);
      }
      case "ab" -> logits[token('d')] = 1;
      case "abd" -> logits[token('e')] = 1;
      case "ac" -> logits[token('f')] = 1;
      case "acf" -> logits[token('g')] = 1;
      default -> logits[END] = 1;
    }
    return logits;
  }

  private void check(String text, int tokens, double lead) {
    new GreedyText(answer -> logits(answer, lead), tokenizer, tokens, List.of(END)).check(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"abde", "acfg"})
  void eitherOfTwoNearTokensMayBeChosen(String text) {
    assertDoesNotThrow(() -> check(text, 4, GreedyText.NEAR / 2));
    // With an end of its own.
    assertDoesNotThrow(() -> check(text, 20, GreedyText.NEAR / 2));
  }

  /** Whichever was chosen: what follows is looked at to the end. */
  @ParameterizedTest
  @ValueSource(strings = {"acfx", "acxg", "acfgh", "acf", "ac", "acde", "abfg", "abdx", "xbde", ""})
  void whatFollowsMustBeRight(String text) {
    for (int tokens : List.of(4, 20)) {
      assertThrows(AssertionError.class, () -> check(text, tokens, GreedyText.NEAR / 2));
    }
  }

  @Test
  void aTokenThatIsLessLikelyIsWrong() {
    check("abde", 4, GreedyText.NEAR * 2);
    AssertionError e =
        assertThrows(AssertionError.class, () -> check("acfg", 4, GreedyText.NEAR * 2));
    assertTrue(e.toString().endsWith("'acfg', not 'ab'"), e::toString);
  }
}
