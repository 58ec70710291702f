// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.decoder;

import io.github.gemmflow.models.checkpoint.ModelConfig;
import io.github.gemmflow.models.parallel.Shares;
import io.github.gemmflow.models.parallel.Slice;

/**
 * One rank's part of a model. Heads of queries are divided among the ranks; a rank has those heads
 * of keys and values that its queries look at, so that where ranks share one of them, each has it.
 *
 * @param heads of queries
 * @param kvHeads of keys and values
 * @param inner columns of the feed-forward part
 * @param tokens of the vocabulary
 */
public record Part(int rank, Shares shares, Slice heads, Slice kvHeads, Slice inner, Slice tokens) {
  /**
   * The part of a rank.
   *
   * @throws IllegalArgumentException if there is not a head, a column and a token for each rank
   */
  static Part of(ModelConfig config, Shares shares, int rank) {
    int most = Math.min(config.heads(), Math.min(config.intermediate(), config.vocabulary()));
    if (shares.ranks() > most) {
      throw new IllegalArgumentException(
          "%d ranks cannot share %d heads, %d columns and %d tokens: run with at most %d ranks"
              .formatted(
                  shares.ranks(),
                  config.heads(),
                  config.intermediate(),
                  config.vocabulary(),
                  most));
    }
    Slice heads = shares.slice(config.heads(), rank);
    long firstKv = heads.begin() / config.sharing();
    return new Part(
        rank,
        shares,
        heads,
        new Slice(firstKv, Math.ceilDiv(heads.end(), config.sharing())),
        shares.slice(config.intermediate(), rank),
        shares.slice(config.vocabulary(), rank));
  }
}
