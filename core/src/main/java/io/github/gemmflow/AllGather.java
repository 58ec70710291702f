// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.RowConsumer;
import io.github.gemmflow.pipeline.compute.ConsumerWork;
import io.github.gemmflow.pipeline.compute.CopyWork;
import io.github.gemmflow.pipeline.compute.RowWork;
import io.github.gemmflow.plan.Shape;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import java.util.Arrays;

/**
 * Operator that gathers what all ranks give: along rows every rank gives {@code m_r x K}, along
 * columns {@code H x w_r}, and gets all of {@code A}, read in place ({@link Step#gathered}), copied
 * out, or worked on by a {@link RowConsumer}, as rows arrive. Streamed, it is never in one piece,
 * and cannot be read in place.
 */
public final class AllGather extends GatherOperator {
  private AllGather(Builder b, int number) {
    super(b.workspace, number, b.shape, b.tuning, b.keepsGathered());
    if (!b.workspace.type().isReal() && !b.keepsGathered()) {
      throw new IllegalArgumentException(
          "rows of %s are read in place, but streamed rows are never contiguous: choose gathered storage"
              .formatted(b.workspace.type()));
    }
  }

  /** Starts to build one on a workspace. */
  public static Builder on(Workspace workspace) {
    return new Builder(workspace);
  }

  @Override
  public String toString() {
    return "AllGather of " + shape();
  }

  @Override
  void checkOutputs(long rows, Matrix[] outputs) {
    if (outputs.length > 0 && !workspace().type().isReal()) {
      throw new IllegalArgumentException(
          "rows of %s are read in place, with their scales: run the step without an output"
              .formatted(workspace().type()));
    }
    if (outputs.length > 1) {
      throw new IllegalArgumentException(
          "an all-gather has one output or none, not " + outputs.length);
    }
    if (outputs.length == 0 && !keepsGathered()) {
      throw new IllegalArgumentException(
          "rows that are streamed, or travel in another type, are never contiguous: this all-gather needs an output to copy them to");
    }
    if (outputs.length == 1) {
      checkOutput("the output", outputs[0], rows, columns(), workspace().type());
    }
  }

  @Override
  RowWork work(Matrix[] outputs) {
    return outputs.length == 0
        ? RowWork.NONE
        : new CopyWork(workspace().types().wire(), outputs[0], workspace().threads());
  }

  @Override
  RowWork work(RowConsumer consumer) {
    if (!workspace().types().wire().isReal()) {
      throw new IllegalStateException(
          "a consumer of rows of %s would not see their scales: gather BF16 or F32"
              .formatted(workspace().types().wire()));
    }
    return new ConsumerWork(consumer, workspace().type(), workspace().threads());
  }

  /** Sets up an {@link AllGather}. */
  public static final class Builder {
    private final Workspace workspace;
    private Shape shape;
    private Tuning tuning;

    private Builder(Workspace workspace) {
      this.workspace = workspace;
      this.shape = Shape.alongRows(workspace.maxColumns());
      this.tuning = workspace.tuning();
    }

    /** The columns of A; the most that the workspace holds, unless set. */
    public Builder columns(long value) {
      shape = Shape.alongRows(value);
      return this;
    }

    /** Gathers along columns; the columns of each rank, the same on all ranks. */
    public Builder columnsPerRank(long... values) {
      shape = Shape.alongColumns(Arrays.stream(values).boxed().toList());
      return this;
    }

    /** How the rows travel; the workspace's, unless set. */
    public Builder tuning(Tuning value) {
      tuning = value;
      return this;
    }

    /** Where there is room for it, and nobody asked for streaming, A is wanted in one piece. */
    private boolean keepsGathered() {
      return !workspace.types().differ()
          && (tuning.storage() == Storage.GATHERED
              || (tuning.storage() == null && workspace.hasRoomForGathered()));
    }

    /** Builds it. Collective: all ranks agree, or all throw. */
    public AllGather build() {
      return GatherOperator.build(
          "AllGather",
          workspace,
          shape,
          keepsGathered(),
          tuning,
          number -> new AllGather(this, number));
    }
  }
}
