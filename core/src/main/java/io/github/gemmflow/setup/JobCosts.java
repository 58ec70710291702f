// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.setup;

import static java.lang.System.Logger.Level.WARNING;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.CostText;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Costs of a job: rank 0 reads a file, and all ranks use what it says. */
final class JobCosts {
  private static final System.Logger LOG = System.getLogger("io.github.gemmflow");

  private static final String CALL = "reading the costs";

  private JobCosts() {}

  /**
   * Reads and shares them. Collective.
   *
   * @param file of rank 0; others need none
   * @param machine the key of this rank's machine
   * @return null if rank 0 has no file
   * @throws IllegalArgumentException on rank 0, if its file has no costs; the others learn of it
   */
  static @Nullable CostModel share(
      Agreement agreement, int rank, @Nullable Path file, String machine) {
    byte[] mine = new byte[0];
    if (rank == 0 && file != null) {
      try {
        mine = read(file, machine).getBytes(UTF_8);
      } catch (IllegalArgumentException e) {
        throw agreement.refuse(CALL, String.valueOf(e.getMessage()));
      }
    }
    byte[] ofRank0 = agreement.exchange(CALL, mine)[0];
    return ofRank0.length == 0 ? null : CostText.read(new String(ofRank0, UTF_8));
  }

  private static String read(Path file, String machine) {
    try {
      String text = Files.readString(file);
      CostModel costs = CostText.read(text);
      if (!costs.machine().equals(machine)) {
        LOG.log(
            WARNING,
            "the costs in {0} were measured on another machine ({1}), not on this one ({2}): measure again with gemmflow calibrate",
            file,
            costs.machine(),
            machine);
      }
      return text;
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(
          "gemmflow.costs: %s is not text in UTF-8: write it with gemmflow calibrate"
              .formatted(file),
          e);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "gemmflow.costs: cannot read %s (%s): write it with gemmflow calibrate"
              .formatted(file, e),
          e);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "gemmflow.costs: %s is not a costs file: %s".formatted(file, e.getMessage()), e);
    }
  }
}
