// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.engine.local;

import io.github.gemmflow.kit.EngineContract;
import java.time.Duration;

/** The contract of engines where messages take time. */
class SimulatedHostsTest extends EngineContract {
  @Override
  protected void onEveryRank(Program program) throws Exception {
    Links links = Links.of(3, 1e9, Duration.ofMillis(1));
    LocalEngineTest.run(new LocalFabric(new int[] {0, 0, 1, 2}, links), engine -> engine, program);
  }
}
