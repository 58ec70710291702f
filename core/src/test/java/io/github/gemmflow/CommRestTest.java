// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.kit.ForwardingEngine;
import io.github.gemmflow.kit.StallingKernel;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.tuning.Idle;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * A rank that multiplies few rows has its core for itself: its communication thread does not look
 * for messages that keep until the product is done.
 */
class CommRestTest {
  private static final int K = 64;
  private static final int N = 8;

  /** How long a product takes: less than the communication thread rests. */
  private static final long NANOS = 4_000_000;

  private static final int STEPS = 60;

  /** An engine that cannot wake its thread, and counts how often that one looks. */
  private static final class Watched extends ForwardingEngine {
    private final AtomicInteger looks;

    Watched(Engine engine, AtomicInteger looks) {
      super(engine);
      this.looks = looks;
    }

    @Override
    public boolean announces() {
      return false;
    }

    @Override
    public int progress() {
      looks.incrementAndGet();
      return super.progress();
    }
  }

  /** How often the engine of rank 0 is looked at during a product, the median of all. */
  private static int looksDuringAProduct() {
    AtomicInteger looks = new AtomicInteger();
    List<Integer> during = new ArrayList<>();
    Runnable stall =
        () -> {
          int before = looks.get();
          LockSupport.parkNanos(NANOS);
          during.add(looks.get() - before);
        };
    Config fast = Config.builder().idle(Idle.SPIN).build();
    Config slow = Config.builder().idle(Idle.SPIN).kernel(new StallingKernel(stall)).build();
    LocalWorld.onHosts(0, 1)
        .config(rank -> rank == 0 ? slow : fast)
        .decorate(engine -> new Watched(engine, engine.rank() == 0 ? looks : new AtomicInteger()))
        .run(CommRestTest::sums);
    Collections.sort(during);
    return during.get(STEPS / 2);
  }

  private static void sums(World world) {
    try (Arena arena = Arena.ofShared();
        Workspace space = Workspace.on(world.group()).rows(1).columns(K).open();
        PackedWeights weights =
            world.pack(Exact.matrix(DType.F32, K, N, 1, arena), WeightLayout.IN_OUT);
        MatmulAllReduce sum = MatmulAllReduce.on(space).weights(weights).build()) {
      Matrix a = Exact.matrix(DType.F32, 1, K, 5, arena);
      Matrix c = Matrix.allocate(DType.F32, 1, N, arena);
      for (int step = 0; step < STEPS; step++) {
        sum.run(a, c);
      }
    }
  }

  /** Whoever wakes it makes it look three times. If it did not rest, it would look 12 to 16. */
  @Test
  void itRestsDuringTheProductOfOneRow() {
    int looks = looksDuringAProduct();
    assertTrue(looks <= 9, () -> looks + " looks");
  }
}
