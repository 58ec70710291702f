// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.setup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.engine.local.LocalFabric;
import io.github.gemmflow.failure.DeadlineException;
import io.github.gemmflow.pipeline.comm.CommThread;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rank that cannot go on, while another one never takes part in the exchange. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RefusalTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  @Test
  void aRankWithoutItsCostsDoesNotWaitForAnotherForEver() {
    LocalFabric twoRanks = new LocalFabric(0, 0);
    CommThread thread = new CommThread("test-comm", () -> twoRanks.engine(0));
    Agreement agreement =
        new Agreement(thread, thread.engine(LONG).world(), null, Duration.ofMillis(100));
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> JobCosts.share(agreement, 0, Path.of("/no/such/costs"), "any machine"));
    assertTrue(String.valueOf(e.getMessage()).contains("cannot read /no/such/costs"), e::toString);
    assertEquals(
        "rank 0 waited 0.1 s in reading the costs; at least one of 2 ranks did not call it. If it is only slow, raise gemmflow.setup.deadline",
        assertInstanceOf(DeadlineException.class, e.getSuppressed()[0]).getMessage());
    assertTrue(thread.close(LONG));
  }
}
