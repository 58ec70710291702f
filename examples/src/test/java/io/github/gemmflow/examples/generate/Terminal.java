// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.generate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.gemmflow.examples.command.Program;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;

/** Runs programs as a user does, and keeps what they say. */
public final class Terminal {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  /** Returns the exit code. */
  public int run(Callable<Integer> program, String... arguments) {
    CommandLine line = Program.of(program);
    return line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err)).execute(arguments);
  }

  /** A small one, for one rank or two. */
  public void makeAModel(Path directory) {
    String shape = "--layers 1 --hidden 32 --heads 4 --kv-heads 2 --intermediate 40 --vocab 50";
    String all = shape + " --type f32 --out " + directory;
    assertEquals(0, run(new RandomCheckpoint(), all.split(" ")), this::err);
  }

  public String out() {
    return out.toString();
  }

  public String err() {
    return err.toString();
  }
}
