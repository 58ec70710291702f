// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.engine.Exchange;
import io.github.gemmflow.failure.DisagreementException;
import io.github.gemmflow.failure.EngineException;
import io.github.gemmflow.kit.ForwardingEngine;
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
                "costs.txt is not a costs file: 'origin' is missing: write the file again with gemmflow calibrate"),
        e::toString);
  }

  /** The others may end the job before rank 0 has seen that they know what is wrong. */
  @Test
  void rank0SaysWhatIsWrongEvenIfTheOthersAreFaster() throws IOException {
    Path file = file("nothing");
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () ->
                LocalWorld.of(2)
                    .config(Config.builder().costs(file).build())
                    .decorate(engine -> engine.rank() == 0 ? new SlowToLearn(engine) : engine)
                    .run(world -> assertEquals(0, 1)));
    assertTrue(String.valueOf(e.getMessage()).contains("txt is not a costs file"), e::toString);
    assertInstanceOf(EngineException.class, e.getSuppressed()[0]);
  }

  /** Engine that does not see the end of an exchange about costs before the job has ended. */
  private static final class SlowToLearn extends ForwardingEngine {
    SlowToLearn(Engine engine) {
      super(engine);
    }

    @Override
    protected Channel decorate(Channel channel) {
      return new ForwardingChannel(channel) {
        @Override
        public Exchange allGather(byte[] mine) {
          Exchange exchange = super.allGather(mine);
          boolean aboutCosts = new String(mine, UTF_8).contains("reading the costs");
          return new Exchange() {
            @Override
            public boolean isDone() {
              return !aboutCosts && exchange.isDone();
            }

            @Override
            public byte[][] result() {
              return exchange.result();
            }
          };
        }
      };
    }
  }

  @Test
  void aFileThatIsNotTextIsSaid() throws IOException {
    Path binary = Files.write(directory.resolve("costs.bin"), new byte[] {(byte) 0xff});
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> World.single(Config.builder().costs(binary).build()).close());
    assertEquals(
        "gemmflow.costs: %s is not text in UTF-8: write it with gemmflow calibrate"
            .formatted(binary),
        e.getMessage());
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
