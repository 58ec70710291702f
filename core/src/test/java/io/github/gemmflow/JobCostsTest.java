// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.failure.DisagreementException;
import io.github.gemmflow.tuning.Tuning;
import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.CostText;
import io.github.gemmflow.tuning.cost.LinkCosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Costs of a job: one file, all ranks. */
class JobCostsTest {
  private static final CostModel COSTS = CostModel.ASSUMED.withLink(LinkCosts.of(5e3, 100e9));

  @TempDir Path directory;

  private Path file(String text) throws IOException {
    return Files.writeString(directory.resolve("costs.txt"), text);
  }

  @Test
  void allRanksUseTheFileOfRank0() throws IOException {
    Path file = file(CostText.write(COSTS));
    ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();
    LocalWorld.of(3)
        .config(Config.builder().costs(file).build())
        .run(world -> seen.add(CostText.hash(world.tuning().costs())));
    assertEquals(3, seen.size());
    seen.forEach(hash -> assertEquals(CostText.hash(COSTS), hash));
  }

  @Test
  void aFileWithoutCostsEndsTheJobAndSaysWhatIsWrong() throws IOException {
    Path file = file("machine = mine\n");
    RuntimeException e =
        assertThrows(
            RuntimeException.class,
            () ->
                LocalWorld.of(2)
                    .config(Config.builder().costs(file).build())
                    .run(world -> assertEquals(0, 1)));
    assertTrue(
        String.valueOf(e.getMessage())
            .contains(
                "costs.txt has no costs: 'origin' is missing: write the file anew with gemmflow calibrate"),
        e::toString);
  }

  @Test
  void aFileThatIsNotThereIsSaid() {
    Path none = directory.resolve("none.txt");
    RuntimeException e =
        assertThrows(
            RuntimeException.class,
            () -> World.single(Config.builder().costs(none).build()).close());
    assertTrue(String.valueOf(e.getMessage()).contains("cannot read"), e::toString);
  }

  @Test
  void ranksThatChooseByOtherCostsDoNotAgree() {
    DisagreementException e =
        assertThrows(
            DisagreementException.class,
            () ->
                World.local(
                    2,
                    world -> {
                      Tuning tuning = Tuning.DEFAULT;
                      Tuning mine = world.rank() == 0 ? tuning : tuning.withCosts(COSTS);
                      Workspace.on(world.group()).rows(4).columns(4).tuning(mine).open().close();
                    }));
    assertTrue(
        String.valueOf(e.getMessage()).contains("the ranks do not agree on costs"), e::toString);
  }
}
