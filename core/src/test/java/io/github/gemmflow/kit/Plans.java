// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kit;

import io.github.gemmflow.plan.Capacity;
import io.github.gemmflow.plan.GatherPlan;
import io.github.gemmflow.plan.GatherProblem;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Tuning;

/** Plans on workspaces that have just enough room. */
public final class Plans {
  private Plans() {}

  /** A plan for up to {@code maxRows} rows, gathered along rows. */
  public static GatherPlan alongRows(long rowBytes, long maxRows, Hosts hosts, Tuning tuning) {
    Capacity capacity = Capacity.of(maxRows, rowBytes, tuning);
    return GatherPlan.of(GatherProblem.alongRows(rowBytes, capacity), hosts, tuning);
  }
}
