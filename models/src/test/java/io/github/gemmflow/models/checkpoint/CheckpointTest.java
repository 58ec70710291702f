// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.files.SafeTensorsWriter;
import io.github.gemmflow.matrix.DType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Models in several files: each tensor is where the index says, or the model is refused. */
class CheckpointTest {
  private static final String NORM = "\"model.norm.weight\": \"model-1.safetensors\"";
  private static final String HEAD = "\"lm_head.weight\": \"model-2.safetensors\"";

  @TempDir private Path temporary;
  private Path directory = Path.of("");

  @BeforeEach
  void writeModel() throws IOException {
    directory = Files.createDirectory(temporary.resolve("model"));
    Files.writeString(
        directory.resolve(ModelConfig.FILE),
        """
        {"hidden_size": 4, "intermediate_size": 4, "num_hidden_layers": 1,
         "num_attention_heads": 1, "head_dim": 4, "vocab_size": 4}
        """);
    write("model-1.safetensors", 1, "model.norm.weight");
    write("model-2.safetensors", 2, "lm_head.weight");
    index(NORM, HEAD);
  }

  /** A file with tensors of one row, whose elements are all the same. */
  private void write(String file, float value, String... tensors) throws IOException {
    SafeTensorsWriter writer = new SafeTensorsWriter();
    for (String tensor : tensors) {
      writer.add(tensor, DType.F32, List.of(1L, 4L), (rows, first) -> rows.fill(value));
    }
    writer.write(directory.resolve(file));
  }

  private void index(String... places) throws IOException {
    Files.writeString(
        directory.resolve(Checkpoint.INDEX),
        "{\"metadata\": {\"total_size\": 32}, \"weight_map\": {%s}}"
            .formatted(String.join(", ", places)));
  }

  private void assertRefused(String message) {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> Checkpoint.open(directory).close());
    assertTrue(String.valueOf(e.getMessage()).contains(message), e::toString);
  }

  @Test
  void tensorsAreInTheFilesThatTheIndexNames() throws IOException {
    // A file that the index does not name is not looked at.
    write("other.safetensors", 3, "model.norm.weight");
    try (Checkpoint checkpoint = Checkpoint.open(directory)) {
      assertEquals(1, checkpoint.matrix("model.norm.weight", 1, 4).get(0, 0));
      assertEquals(2, checkpoint.matrix("lm_head.weight", 1, 4).get(0, 3));
    }
  }

  @Test
  void aTensorThatIsInAnotherFileTooIsRefused() throws IOException {
    write("model-2.safetensors", 666, "lm_head.weight", "model.norm.weight");
    assertRefused(
        "names model-1.safetensors as the file of tensor 'model.norm.weight', but model-2.safetensors has it");
  }

  @Test
  void aTensorThatIsNotWhereTheIndexSaysIsRefused() throws IOException {
    index(NORM, HEAD, "\"bias\": \"model-2.safetensors\"");
    assertRefused("names model-2.safetensors as the file of tensor 'bias', which is not in it");
    index(NORM.replace("model-1", "model-2"), HEAD.replace("model-2", "model-1"));
    assertRefused(
        "names model-2.safetensors as the file of tensor 'model.norm.weight', but model-1.safetensors has it");
  }

  @Test
  void aTensorThatTheIndexDoesNotListIsRefused() throws IOException {
    write("model-2.safetensors", 2, "lm_head.weight", "bias");
    assertRefused("does not list 'bias', but model-2.safetensors has it");
  }

  @Test
  void aTensorThatTheIndexListsTwiceIsRefused() throws IOException {
    index(NORM.replace("model-1", "model-2"), HEAD, NORM);
    assertRefused("model.norm.weight");
  }

  /** {@code @} is a directory that has such a file. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "../outside/x.safetensors",
        "@/x.safetensors",
        "./x.safetensors",
        "..\\\\x.safetensors",
        "..",
        ""
      })
  void aFileInAnotherDirectoryIsRefused(String name) throws IOException {
    Path outside = Files.createDirectory(temporary.resolve("outside"));
    write("x.safetensors", 3, "x");
    Files.copy(directory.resolve("x.safetensors"), outside.resolve("x.safetensors"));
    Files.copy(directory.resolve("x.safetensors"), directory.resolve("..\\x.safetensors"));
    index(NORM, HEAD, "\"x\": \"%s\"".formatted(name.replace("@", outside.toString())));
    assertRefused("which is not the name of a .safetensors file in the same directory");
  }
}
