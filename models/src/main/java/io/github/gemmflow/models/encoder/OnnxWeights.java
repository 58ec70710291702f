// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.encoder;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The weights of a model in ONNX, by the names that they had where the model was made. Weights of
 * linear layers, {@code [in, out]}, lost theirs; they are found by the name of the bias that is
 * added to their product.
 */
public final class OnnxWeights {
  private static final int F32 = 1;

  private final Map<String, Matrix> tensors = new HashMap<>();

  /** Of each result of a product its weights, and of each bias what it is added to. */
  private final Map<String, String> products = new HashMap<>();

  private final Map<String, String> sums = new HashMap<>();

  private OnnxWeights() {}

  /**
   * Reads a model.
   *
   * @param arena which its weights are copied to
   */
  static OnnxWeights read(ByteBuffer file, Arena arena) {
    OnnxWeights weights = new OnnxWeights();
    Protobuf model = new Protobuf(file);
    while (model.next()) {
      if (model.field() == 7) {
        weights.readGraph(model.message(), arena);
      }
    }
    weights.sums.forEach(weights::name);
    return weights;
  }

  private void readGraph(Protobuf graph, Arena arena) {
    while (graph.next()) {
      switch (graph.field()) {
        case 1 -> readNode(graph.message());
        case 5 -> readTensor(graph.message(), arena);
        default -> {}
      }
    }
  }

  private void readNode(Protobuf node) {
    List<String> inputs = new ArrayList<>();
    String output = "";
    String operation = "";
    while (node.next()) {
      switch (node.field()) {
        case 1 -> inputs.add(node.text());
        case 2 -> output = node.text();
        case 4 -> operation = node.text();
        default -> {}
      }
    }
    if (operation.equals("MatMul")) {
      products.put(output, inputs.get(1));
    } else if (operation.equals("Add") && inputs.get(0).endsWith(".bias")) {
      sums.put(inputs.get(0), inputs.get(1));
    }
  }

  private void readTensor(Protobuf tensor, Arena arena) {
    List<Long> shape = new ArrayList<>();
    String name = "";
    long type = 0;
    ByteBuffer data = ByteBuffer.allocate(0);
    while (tensor.next()) {
      switch (tensor.field()) {
        case 1 -> shape.add(tensor.number());
        case 2 -> type = tensor.number();
        case 8 -> name = tensor.text();
        case 9 -> data = tensor.content();
        default -> {}
      }
    }
    if (type == F32 && !shape.isEmpty()) {
      long columns = shape.getLast();
      long rows = data.remaining() / Float.BYTES / columns;
      MemorySegment memory = arena.allocate(data.remaining(), 64);
      memory.copyFrom(MemorySegment.ofBuffer(data));
      tensors.put(name, Matrix.wrap(memory, DType.F32, rows, columns));
    }
  }

  private void name(String bias, String summed) {
    Matrix found = tensors.get(products.getOrDefault(summed, ""));
    if (found != null) {
      tensors.put(bias.replace(".bias", ".weight"), found);
    }
  }

  boolean has(String name) {
    return tensors.containsKey(name);
  }

  /** A tensor; a vector is one row. */
  public Matrix matrix(String name) {
    Matrix matrix = tensors.get(name);
    if (matrix == null) {
      throw new IllegalArgumentException(
          "no '%s' in the model: is it a BERT in F32?".formatted(name));
    }
    return matrix;
  }

  float[] floats(String name) {
    return matrix(name).toFloats();
  }
}
