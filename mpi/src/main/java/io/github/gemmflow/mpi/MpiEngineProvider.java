// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi;

import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.engine.EngineProvider;
import java.time.Duration;

/** Provider of {@link MpiEngine} for {@code World.join()}. */
public final class MpiEngineProvider implements EngineProvider {
  @Override
  public String name() {
    return "mpi";
  }

  @Override
  public int preference() {
    return 100;
  }

  @Override
  public Engine connect(Duration deadline) {
    return MpiEngine.join(deadline);
  }
}
