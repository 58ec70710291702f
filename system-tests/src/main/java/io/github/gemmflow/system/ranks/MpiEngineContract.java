// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system.ranks;

import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.kit.EngineContract;
import io.github.gemmflow.mpi.MpiEngine;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** The contract of engines, of which every process of a job runs its rank, in the same order. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.MethodName.class)
public class MpiEngineContract extends EngineContract {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private Engine engine;

  @BeforeAll
  void join() {
    engine = MpiEngine.join();
  }

  @Override
  protected void onEveryRank(Program program) throws Exception {
    program.run(engine);
  }

  /** Bounded, because MPICH 4.0 on UCX hangs in {@code MPI_Finalize} now and then. */
  @AfterAll
  void leave() {
    Thread.ofPlatform().daemon().start(this::endIfClosingHangs);
    engine.close();
  }

  private void endIfClosingHangs() {
    try {
      Thread.sleep(PATIENCE);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    System.out.printf("%s did not close within %d s%n", engine.name(), PATIENCE.toSeconds());
    Runtime.getRuntime().halt(1);
  }
}
