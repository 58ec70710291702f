// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.examples.parallel.Mpirun;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Command;

/** Programs end as processes, however they fail. */
class ProgramTest {
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
    Mpirun.Ended ended =
        Mpirun.run(new ProcessBuilder(Mpirun.java(List.of(), ProgramTest.class, List.of())));
    assertEquals(1, ended.exitCode(), ended.text());
    assertTrue(ended.text().contains("AssertionError: injected"), ended.text());
  }

  /** Other threads may wait for the one that had no memory. */
  @Test
  @Tag("full")
  void aProcessWithoutMemoryEnds() throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(Path.of("run").toAbsolutePath().toString(), "Generate", "--help");
    builder.environment().put("JDK_JAVA_OPTIONS", "-XX:+PrintFlagsFinal");
    Mpirun.Ended ended = Mpirun.run(builder);
    assertEquals(0, ended.exitCode(), ended.text());
    assertTrue(ended.text().matches("(?s).*ExitOnOutOfMemoryError += true .*"), ended.text());
  }
}
