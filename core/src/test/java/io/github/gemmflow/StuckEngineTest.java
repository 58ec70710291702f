// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.failure.EngineException;
import io.github.gemmflow.kit.ForwardingEngine;
import io.github.gemmflow.kit.Pauses;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An engine that throws where none may, or never returns, hides no exception and hangs nobody. Each
 * case has a process of its own: what a stuck engine may still write to is never freed.
 */
@Tag("full")
@ExtendWith(Pauses.class)
class StuckEngineTest {
  private static final Duration DEADLINE = Duration.ofMillis(500);

  @TempDir private Path directory;

  enum Flaw {
    THROWS_IN_CANCEL,
    STAYS_IN_PROGRESS
  }

  @ParameterizedTest
  @EnumSource
  void aStepsOwnExceptionIsThrownInTime(Flaw flaw) throws Exception {
    String said = OwnProcess.run(directory, StuckEngineTest.class, flaw.name());
    String expected = "io.github.gemmflow.failure.DeadlineException: rank 0 gave up in step 1";
    assertTrue(said.contains(expected), said);
    assertTrue(said.contains("all ranks have ended"), said);
  }

  /** Two ranks on two hosts; the engine of rank 0 has the flaw once a first step is over. */
  public static void main(String[] arguments) {
    AtomicBoolean on = new AtomicBoolean();
    Flaw flaw = Flaw.valueOf(arguments[0]);
    Config config =
        Config.builder().deadline(DEADLINE).setupDeadline(Duration.ofSeconds(5)).build();
    try {
      LocalWorld.onHosts(0, 1)
          .config(config)
          .decorate(engine -> engine.rank() == 0 ? new Flawed(engine, flaw, on) : engine)
          .run(world -> twoSteps(world, on));
    } catch (RuntimeException e) {
      System.out.println("thrown: " + e);
    }
    System.out.println("all ranks have ended");
  }

  private static void twoSteps(World world, AtomicBoolean on) {
    try (Arena arena = Arena.ofShared();
        Workspace space = Workspace.on(world.group()).rows(8).columns(4).open();
        AllGather gather = AllGather.on(space).build()) {
      Matrix a = Matrix.allocate(DType.F32, 4, 4, arena);
      Matrix c = Matrix.allocate(DType.F32, 8, 4, arena);
      gather.run(a, c);
      if (world.rank() == 0) {
        on.set(true);
        gather.run(a, c);
      }
    }
  }

  /** The local engine with a flaw that can be switched on. */
  private static final class Flawed extends ForwardingEngine {
    private final Flaw flaw;
    private final AtomicBoolean on;

    Flawed(Engine engine, Flaw flaw, AtomicBoolean on) {
      super(engine);
      this.flaw = flaw;
      this.on = on;
    }

    @Override
    public int progress() {
      while (flaw == Flaw.STAYS_IN_PROGRESS && on.get()) {
        LockSupport.parkNanos(1_000_000_000);
      }
      return super.progress();
    }

    @Override
    protected Channel decorate(Channel channel) {
      return flaw == Flaw.THROWS_IN_CANCEL ? new CannotCancel(channel) : channel;
    }
  }

  private static final class CannotCancel extends ForwardingEngine.ForwardingChannel {
    CannotCancel(Channel channel) {
      super(channel);
    }

    @Override
    public boolean cancel(int request) {
      throw new EngineException("cannot cancel");
    }
  }
}
