// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.llama;

import io.github.gemmflow.AllGather;
import io.github.gemmflow.AllGatherMatmul;
import io.github.gemmflow.Group;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.tuning.Tuning;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One rank of a model. It is made, run and closed on all ranks of the world. Not thread-safe.
 *
 * <p>Every rank gets all logits, so that every rank chooses the same next tokens: nobody has to be
 * told.
 */
final class Llama implements AutoCloseable {
  private final LlamaConfig config;
  private final Part part;
  private final Matrix embedding;
  private final List<Block> blocks = new ArrayList<>();
  private final RmsNorm norm;
  private final Workspace space;
  private final Workspace logitSpace;
  private final AllGatherMatmul lmHead;
  private final AllGather allLogits;
  private final Arena arena = Arena.ofShared();
  private final Matrix residual;
  private final Activations activations;
  private final float[] row;

  /**
   * Loads this rank's part of a model. Collective.
   *
   * @param group all ranks of the world
   * @param tuning what the operators of all layers start from
   * @param maxRows the most tokens of one pass, over all its sequences
   * @param maxSequences the most sequences of one pass
   */
  Llama(Group group, Weights weights, Tuning tuning, int maxRows, int maxSequences) {
    this.config = weights.config();
    this.part = weights.part();
    DType type = weights.type();
    this.embedding = weights.embedding();
    // One workspace for all layers and the last product; one of F32 for what that yields.
    this.space =
        Workspace.on(group).rows(maxRows).columns(config.hidden()).type(type).tuning(tuning).open();
    this.logitSpace = Workspace.on(group).rows(maxSequences).columns(config.vocabulary()).open();
    for (int layer = 0; layer < config.layers(); layer++) {
      blocks.add(new Block(space, weights, layer));
    }
    this.norm = weights.norm("model.norm.weight");
    try (PackedWeights head = weights.lmHead()) {
      this.lmHead = AllGatherMatmul.on(space).output(head).build();
    }
    long[] columns = part.sizes(config.vocabulary());
    this.allLogits = AllGather.on(logitSpace).columnsPerRank(columns).build();
    this.residual = Matrix.allocate(DType.F32, maxRows, config.hidden(), arena);
    this.activations = Activations.allocate(config, part, maxRows, weights.activationType(), arena);
    this.row = new float[config.hidden()];
  }

  /** A new sequence. Local, but all ranks begin the same. */
  Sequence begin(int... prompt) {
    if (prompt.length == 0) {
      throw new IllegalArgumentException("a prompt needs at least one token");
    }
    Arrays.stream(prompt).forEach(this::checkToken);
    int heads = part.size(config.kvHeads());
    return new Sequence(new KvCache(config.layers(), heads, config.headSize()), prompt);
  }

  /** What all layers use. */
  Workspace space() {
    return space;
  }

  private void checkToken(int token) {
    if (token < 0 || token >= config.vocabulary()) {
      throw new IllegalArgumentException(
          "there is no token %d; the model has 0 to %d".formatted(token, config.vocabulary() - 1));
    }
  }

  /**
   * Shows the model the tokens that it has not seen yet. Collective; with the same sequences on all
   * ranks.
   *
   * @return for each sequence the logits of the token that comes next
   */
  float[][] run(List<Sequence> sequences) {
    Pass pass = new Pass(config, part, sequences);
    Matrix mine = residual.rows(0, pass.myRows());
    embed(pass, mine);
    Activations all = activations.rows(pass.rows());
    for (Block block : blocks) {
      block.run(pass, mine, all);
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
    try (Step gather = allLogits.begin(RowCounts.mine(pass.sequences().size()))) {
      try (Step step = lmHead.begin(RowCounts.known(pass.endsPerRank()))) {
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
    logitSpace.close();
    arena.close();
  }
}
