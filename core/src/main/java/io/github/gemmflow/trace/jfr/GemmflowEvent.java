// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.trace.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.StackTrace;

/** Common part of all events. A recording has to ask for them. */
@Category("Gemmflow")
@Enabled(false)
@StackTrace(false)
abstract class GemmflowEvent extends Event {
  @Label("Rank")
  @Description("The rank in its group")
  int rank;

  @Label("Step")
  @Description("The number of the step in its workspace, from 0, the same on all ranks")
  long step;
}
