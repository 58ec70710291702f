// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.engine.local;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.failure.EngineException;
import io.github.gemmflow.kit.EngineContract;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class LocalEngineTest extends EngineContract {
  private static final int RANKS = 4;

  @Override
  protected void onEveryRank(Program program) throws Exception {
    run(engine -> engine, program);
  }

  static void run(UnaryOperator<Engine> decorate, Program program) throws Exception {
    run(new LocalFabric(0, 0, 1, 2), decorate, program);
  }

  static void run(LocalFabric fabric, UnaryOperator<Engine> decorate, Program program)
      throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(RANKS)) {
      List<Future<?>> results = new ArrayList<>();
      for (int rank = 0; rank < RANKS; rank++) {
        Engine engine = decorate.apply(fabric.engine(rank));
        results.add(
            threads.submit(
                () -> {
                  program.run(engine);
                  return null;
                }));
      }
      for (Future<?> result : results) {
        result.get();
      }
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    }
  }

  @Test
  void anAbortReachesEveryRank() {
    LocalFabric fabric = new LocalFabric(0, 1);
    fabric.engine(0).abort("no more paper");
    for (int rank = 0; rank < 2; rank++) {
      Engine engine = fabric.engine(rank);
      EngineException e = assertThrows(EngineException.class, engine::progress);
      assertTrue(e.toString().contains("no more paper"), e.getMessage());
    }
  }
}
