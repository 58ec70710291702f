// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.decoder;

import io.github.gemmflow.AllGather;
import io.github.gemmflow.AllGatherMatmul;
import io.github.gemmflow.Group;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.models.checkpoint.ModelConfig;
import io.github.gemmflow.models.parallel.RowSplit;
import io.github.gemmflow.models.parallel.Team;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/**
 * Way of some sequences through the model: the operators of all layers on workspaces of their own,
 * so that several lanes can run at a time. Weights belong to the operators of all lanes together.
 * Not thread-safe.
 */
final class Lane implements AutoCloseable {
  private final ModelConfig config;
  private final Part part;
  private final Matrix embedding;
  private final List<Block> blocks = new ArrayList<>();
  private final RmsNorm norm;
  private final RowSplit split;
  private final Workspace space;
  private final Workspace sumSpace;
  private final Workspace logitSpace;
  private final AllGatherMatmul lmHead;
  private final AllGather allLogits;
  private final Arena arena = Arena.ofShared();
  private final Matrix residual;
  private final Activations activations;
  private final Team team;
  private final Attention attention;
  private final float[] row;

  /**
   * A lane without layers. Collective.
   *
   * @param gathering the ranks that gather rows: all, or each for itself where each has all rows
   */
  Lane(
      Group group,
      Group gathering,
      RowSplit split,
      Weights weights,
      PackedWeights head,
      Tuning tuning,
      int maxRows,
      int maxSequences) {
    this.config = weights.config();
    this.part = weights.part();
    this.split = split;
    this.embedding = weights.embedding();
    // One workspace for all layers and the last product; one of F32 for what that yields.
    this.space =
        Workspace.on(gathering)
            .rows(maxRows)
            .columns(config.hidden())
            .type(weights.type())
            .tuning(tuning)
            .open();
    this.sumSpace =
        split.isWhole()
            ? Workspace.on(group).rows(maxRows).type(weights.type()).tuning(tuning).open()
            : space;
    // Logits are read in one piece, whatever is set for rows.
    this.logitSpace =
        Workspace.on(group)
            .rows(maxSequences)
            .columns(config.vocabulary())
            .tuning(weights.world().tuning().withStorage(Storage.GATHERED))
            .open();
    this.norm = weights.norm("model.norm", config.hidden());
    this.lmHead = AllGatherMatmul.on(space).output(head).build();
    long[] columns = part.shares().sizes(config.vocabulary());
    this.allLogits = AllGather.on(logitSpace).columnsPerRank(columns).build();
    this.residual = Matrix.allocate(DType.F32, maxRows, config.hidden(), arena);
    this.activations = Activations.allocate(config, part, maxRows, weights.activationType(), arena);
    this.team = new Team(weights.world().config().threads());
    this.attention = new Attention(config, part, team);
    this.row = new float[config.hidden()];
  }

  /** Adds the next layer. Collective. */
  void add(Weights weights, LayerWeights packed) {
    blocks.add(new Block(space, sumSpace, split, weights, packed, blocks.size()));
  }

  /** What all layers use: a workspace for products, and one for sums if that is another. */
  List<Workspace> spaces() {
    return split.isWhole() ? List.of(space, sumSpace) : List.of(space);
  }

  /** See {@link Decoder#run}. */
  float[][] run(List<Sequence> sequences) {
    Pass pass = new Pass(config, split, sequences);
    Matrix mine = residual.rows(0, pass.myRows());
    embed(pass, mine);
    Activations all = activations.rows(pass.rows());
    for (Block block : blocks) {
      block.run(pass, attention, mine, all);
    }
    sequences.forEach(Sequence::markSeen);
    return logits(pass, mine);
  }

  private void embed(Pass pass, Matrix mine) {
    for (int i = 0; i < pass.myRows(); i++) {
      embedding.getRow(pass.myToken(i), row);
      mine.setRow(i, row);
    }
  }

  /**
   * The last product writes its columns straight into the input of the gather that collects them:
   * two steps may be open at once, in two workspaces.
   */
  private float[][] logits(Pass pass, Matrix mine) {
    try (Step gather =
        allLogits.begin(RowCounts.equal(part.shares().ranks(), pass.sequences().size()))) {
      try (Step step = lmHead.begin(pass.ends())) {
        int[] ends = pass.myEnds();
        for (int i = 0; i < ends.length; i++) {
          norm.apply(mine, ends[i], step, i);
        }
        step.run(gather.input());
      }
      gather.run();
      Matrix logits = gather.gathered();
      float[][] copies = new float[pass.sequences().size()][];
      for (int s = 0; s < copies.length; s++) {
        copies[s] = logits.rows(s, s + 1).toFloats();
      }
      return copies;
    }
  }

  @Override
  public void close() {
    blocks.forEach(Block::close);
    lmHead.close();
    allLogits.close();
    space.close();
    sumSpace.close();
    logitSpace.close();
    team.close();
    arena.close();
  }
}
