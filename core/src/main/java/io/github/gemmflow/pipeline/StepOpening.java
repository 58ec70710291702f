// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.failure.DeadlineException;
import io.github.gemmflow.pipeline.comm.CommLane;
import io.github.gemmflow.pipeline.comm.PlannedStep;
import io.github.gemmflow.pipeline.comm.StepKind;
import io.github.gemmflow.pipeline.step.Diagnosis;
import io.github.gemmflow.pipeline.step.HeaderCheck;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.pipeline.step.StepContext;
import io.github.gemmflow.pipeline.step.StepHeaders;
import io.github.gemmflow.pipeline.step.StepWindow;
import io.github.gemmflow.plan.Layout;
import io.github.gemmflow.window.Waiter;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Beginning of steps: waits for a buffer, tells all ranks, and lays out the rows. */
final class StepOpening {
  private final HostPeers peers;
  private final StepWindow window;
  private final StepContext[] buffers;
  private final HeaderCheck headers;
  private final Diagnosis diagnosis;
  private final StepRoomWait room;
  private final Waiter waiter;
  private final ShutdownGate gate;
  private final @Nullable CommLane commLane;
  private long next;
  private StepContext step;

  /**
   * For a workspace.
   *
   * @param buffers the steps in each buffer
   * @param commLane what moves headers and rows, if there are other hosts
   */
  StepOpening(
      HostPeers peers,
      StepWindow window,
      StepContext[] buffers,
      HeaderCheck headers,
      Diagnosis diagnosis,
      StepRoomWait room,
      Waiter waiter,
      ShutdownGate gate,
      @Nullable CommLane commLane) {
    this.peers = peers;
    this.window = window;
    this.buffers = buffers;
    this.headers = headers;
    this.diagnosis = diagnosis;
    this.room = room;
    this.waiter = waiter;
    this.gate = gate;
    this.commLane = commLane;
    this.step = buffers[0];
  }

  /** How many steps this rank has begun. */
  long begun() {
    return next;
  }

  /** The step that was begun last. */
  StepContext step() {
    return step;
  }

  /** Begins a step whose rows this rank knows for all ranks. */
  <S extends PlannedStep> S begin(StepKind<S> kind, long operator, long[] rowsPerRank) {
    S planned = kind.step(awaitBuffer());
    Layout layout = planned.layout();
    layout.lay(rowsPerRank);
    long myRows = layout.rows(peers.rank());
    planned.reserve(myRows);
    leadOrFollow(operator, myRows, layout.countsHash());
    lay(planned);
    return planned;
  }

  /** Begins a step of which this rank knows only its own rows. */
  <S extends PlannedStep> S begin(StepKind<S> kind, long operator, long myRows) {
    S planned = kind.step(awaitBuffer());
    Layout layout = planned.layout();
    planned.reserve(myRows);
    leadOrFollow(operator, myRows, StepHeaders.NOT_KNOWN);
    long[] rowsPerRank = awaitRows();
    try {
      layout.lay(rowsPerRank);
    } catch (IllegalArgumentException e) {
      // All ranks see the same counts and come here: the step ends without rows for all.
      layout.lay(new long[rowsPerRank.length]);
      for (int rank = 0; rank < rowsPerRank.length; rank++) {
        step.setVerified(rank);
      }
      lay(planned);
      pass();
      throw e;
    }
    lay(planned);
    return planned;
  }

  private int awaitBuffer() {
    int buffer = window.steps().slot(next);
    room.await(next, buffers[buffer]);
    if (next >= buffers.length) {
      // Those that this rank had no need to look at; by now all of them are there.
      headers.verifyAll(buffers[buffer]);
    }
    return buffer;
  }

  /** A process that was told to end only takes part in steps that others have begun. */
  private void leadOrFollow(long operator, long myRows, long counts) {
    if (gate.tryLead()) {
      try {
        open(operator, myRows, counts);
      } finally {
        gate.leave();
      }
      return;
    }
    waiter.await(
        () -> haveOthersBegun() || gate.isOver() || peers.isBroken(), peers.deadlineNanos());
    peers.checkWhole();
    if (!haveOthersBegun()) {
      throw new IllegalStateException(gate.reason("no new steps can begin"));
    }
    open(operator, myRows, counts);
  }

  /** Whether another rank, as far as this host knows, has begun the next step. */
  boolean haveOthersBegun() {
    return IntStream.range(0, peers.hosts().ranks())
        .anyMatch(rank -> window.headers().isThere(rank, next));
  }

  private void open(long operator, long myRows, long counts) {
    long number = next++;
    step = buffers[window.steps().slot(number)];
    step.open(number, operator);
    window.headers().write(number, peers.rank(), myRows, operator, counts);
    window.headers().publish(peers.rank(), number);
    if (commLane != null) {
      commLane.open(step, counts != StepHeaders.NOT_KNOWN);
    }
    peers.ringHost();
  }

  private long[] awaitRows() {
    if (!room.awaitHeaders(step)) {
      throw new DeadlineException(
          "rank %d gave up in step %d after %s: %s"
              .formatted(
                  peers.rank(),
                  step.number(),
                  diagnosis.patience(),
                  diagnosis.missingHeaders(step)));
    }
    headers.verifyAll(step);
    long[] rows = new long[peers.hosts().ranks()];
    for (int rank = 0; rank < rows.length; rank++) {
      rows[rank] = headers.rows(step, rank);
    }
    return rows;
  }

  private void lay(PlannedStep planned) {
    planned.number();
    step.lay(planned.layout(), planned.isEachWaitingForAll());
    if (commLane != null) {
      commLane.lay(step, planned.traffic());
    }
  }

  /** Lets go of the buffer of the step that was begun last. */
  void pass() {
    window.steps().pass(peers.computeReader(), step.number(), step.number() + 1);
    peers.ringHost();
  }
}
