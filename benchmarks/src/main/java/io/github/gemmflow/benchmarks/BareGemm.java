// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.gemmflow.matrix.DType;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;

/** The program {@code bare/gemm.cpp}, which sleeps while it has nothing to do. */
final class BareGemm implements AutoCloseable {
  private final Process process;
  private final Writer commands;
  private final BufferedReader answers;
  private String product = "";

  BareGemm() throws IOException {
    // Where the script that runs this puts what it compiles.
    Path program = Path.of(System.getProperty("gemmflow.benchmarks.programs"), "gemm");
    process =
        new ProcessBuilder(program.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    commands = process.outputWriter(UTF_8);
    answers = process.inputReader(UTF_8);
  }

  void prepare(DType type, int m, int k, int n, int threads) throws IOException {
    product = "%s %d %d %d %d".formatted(type, m, k, n, threads);
    run(1);
  }

  /** Multiplies so many times; returns the nanoseconds that it took. */
  long run(int times) throws IOException {
    commands.write("%s %d%n".formatted(product, times));
    commands.flush();
    String line = answers.readLine();
    if (line == null) {
      throw new IOException("the bare program has ended");
    }
    return Long.parseLong(line);
  }

  @Override
  public void close() throws IOException {
    commands.close();
    process.destroy();
  }
}
