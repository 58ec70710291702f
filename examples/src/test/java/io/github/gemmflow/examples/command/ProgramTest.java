// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.examples.parallel.Mpirun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Command;

/** Programs end as processes, however they fail. */
class ProgramTest {
  @TempDir private Path directory;

  private record Ended(int exitCode, String text) {}

  private Ended run(ProcessBuilder builder) throws IOException, InterruptedException {
    Path output = directory.resolve("output");
    Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    boolean ended = process.waitFor(2, TimeUnit.MINUTES);
    process.destroyForcibly();
    String text = Files.readString(output);
    assertTrue(ended, text);
    return new Ended(process.exitValue(), text);
  }

  /** Command whose error leaves a thread that waits forever. */
  @Command
  private static final class Failing implements Callable<Integer> {
    @Override
    public Integer call() {
      CountDownLatch never = new CountDownLatch(1);
      Thread.ofPlatform()
          .start(
              () -> {
                try {
                  never.await();
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
      throw new AssertionError("injected");
    }
  }

  /** The failing command as a process. */
  public static void main(String[] arguments) {
    Program.run(new Failing(), arguments);
  }

  @Test
  void anErrorEndsTheProcess() throws Exception {
    Ended ended = run(new ProcessBuilder(Mpirun.java(List.of(), ProgramTest.class, List.of())));
    assertEquals(1, ended.exitCode, ended.text);
    assertTrue(ended.text.contains("AssertionError: injected"), ended.text);
  }

  /** Other threads may wait for the one that had no memory. */
  @Test
  @Tag("full")
  void aProcessWithoutMemoryEnds() throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(Path.of("run").toAbsolutePath().toString(), "Generate", "--help");
    builder.environment().put("JDK_JAVA_OPTIONS", "-XX:+PrintFlagsFinal");
    Ended ended = run(builder);
    assertEquals(0, ended.exitCode, ended.text);
    assertTrue(ended.text.matches("(?s).*ExitOnOutOfMemoryError += true .*"), ended.text);
  }
}
