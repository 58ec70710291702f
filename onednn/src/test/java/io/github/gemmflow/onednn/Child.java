// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.Product;
import io.github.gemmflow.kernel.ProductSpec;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Reals;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.ConsoleHandler;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.zip.CRC32C;

/** Multiplies reals of some types in a process of its own, and prints checksums of the products. */
final class Child {
  private Child() {}

  public static void main(String[] arguments) {
    showDetails();
    Kernel kernel = new OneDnnKernel();
    for (String argument : arguments) {
      multiply(kernel, DType.valueOf(argument));
    }
  }

  private static void showDetails() {
    ConsoleHandler handler = new ConsoleHandler();
    handler.setLevel(Level.FINE);
    Logger logger = Logger.getLogger("io.github.gemmflow");
    logger.setLevel(Level.FINE);
    logger.setUseParentHandlers(false);
    logger.addHandler(handler);
  }

  private static void multiply(Kernel kernel, DType type) {
    try (Arena arena = Arena.ofShared()) {
      Matrix a = Reals.matrix(type, 77, 300, 1, arena);
      Matrix b = Reals.matrix(type, 300, 1100, 2, arena);
      Matrix c = Matrix.allocate(DType.F32, 77, 1100, arena);
      try (PackedWeights weights = kernel.pack(b, WeightLayout.IN_OUT);
          Product product = kernel.product(weights, new ProductSpec(DType.F32, Epilogue.NONE, 1))) {
        product.multiply(0, a.block(new Block(), 0, 77), c.block(new Block(), 0, 77), 0);
      }
      CRC32C checksum = new CRC32C();
      checksum.update(c.memory().asByteBuffer());
      System.out.println("checksum %s %d".formatted(type, checksum.getValue()));
    }
  }

  /** What a process says that runs this. */
  static List<String> run(Map<String, String> environment, DType... types)
      throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("--enable-native-access=ALL-UNNAMED", Child.class.getName()));
    for (DType type : types) {
      arguments.add(type.name());
    }
    return java(environment, arguments);
  }

  /** What a process says that runs Java with the path of this one. */
  static List<String> java(Map<String, String> environment, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + "/bin/java");
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process process = builder.start();
    List<String> said = new String(process.getInputStream().readAllBytes(), UTF_8).lines().toList();
    process.waitFor();
    return said;
  }
}
