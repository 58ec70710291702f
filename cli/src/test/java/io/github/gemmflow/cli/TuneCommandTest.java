// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.cli.job.ExitCode;
import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.CostText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ways of a layer, tried on ranks that are threads on pretended hosts. */
class TuneCommandTest {
  @TempDir Path directory;
  private Path costs = Path.of("");

  @BeforeEach
  void writeCosts() throws IOException {
    costs = directory.resolve("costs.txt");
    Files.writeString(costs, CostText.write(CostModel.ASSUMED));
  }

  private Ran tune(String... more) {
    List<String> always =
        List.of(
            "tune -n 3 --engine local --gm 48 --gk 64 --gn 32 --dtype F32 --warmup 1 --iterations 7"
                .split(" "));
    return Ran.here(
        Stream.of(always, List.of("--costs", costs.toString()), Arrays.asList(more))
            .flatMap(List::stream)
            .toArray(String[]::new));
  }

  /** Whatever wins: the file has it if the last line says so, and is good for the next job. */
  @Test
  void theFileHasWhatWon() throws IOException {
    for (String operation : List.of("gather", "reduce-scatter", "all-reduce")) {
      String out = tune("--hosts", "3", "--operation", operation, "--ways", "2").good().out();
      assertEquals(5, out.lines().count(), out);
      boolean won = out.contains("is faster than the default");
      CostModel read = CostText.read(Files.readString(costs));
      long tried = read.tried().keySet().stream().filter(key -> key.startsWith(operation)).count();
      assertEquals(won ? 1 : 0, tried, out);
    }
  }

  @Test
  void whatCannotBeTriedIsSaid() throws IOException {
    assertRefused("nothing to tune on one host", tune());
    assertRefused(
        "--operation all-gather has no product to tune: use gather",
        tune("--operation", "all-gather"));
    assertRefused("0 ways cannot be tried", tune("--hosts", "3", "--ways", "0"));
    Files.writeString(costs, "nothing");
    assertRefused("not a costs file: line 1: 'nothing' is not of the form", tune("--hosts", "3"));
  }

  private static void assertRefused(String message, Ran ran) {
    assertEquals(ExitCode.INPUT.number(), ran.exitCode(), ran::err);
    assertTrue(ran.err().contains(message), ran::err);
  }
}
