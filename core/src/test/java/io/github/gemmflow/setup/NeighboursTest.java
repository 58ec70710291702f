// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.setup;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.Config;
import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.engine.Exchange;
import io.github.gemmflow.kit.ForwardingEngine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ranks share memory only if what one writes is what the other reads. */
class NeighboursTest {
  @TempDir private Path original;
  @TempDir private Path copy;

  /**
   * As on a network file system: both ranks see files of the same names, but each has its own
   * memory behind them.
   */
  @Test
  void filesOfTheSameNameAreNotSharedMemory() {
    LocalWorld world =
        LocalWorld.of(2)
            .config(rank -> Config.builder().windowDirectory(rank == 0 ? original : copy).build())
            .decorate(engine -> engine.rank() == 1 ? new Mirroring(engine) : engine);
    String message =
        String.valueOf(assertThrows(IllegalStateException.class, () -> world.run(w -> {})));
    assertTrue(message.contains("do not share the memory behind them"), message);
    assertTrue(message.contains("-Dgemmflow.window.directory"), message);
  }

  private void mirror() {
    try (Stream<Path> files = Files.list(original)) {
      for (Path file : files.toList()) {
        Path target = copy.resolve(file.getFileName());
        try {
          // One that was mirrored while it was being made is not complete.
          if (!Files.exists(target) || Files.size(target) != Files.size(file)) {
            Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
          }
        } catch (NoSuchFileException _) {
          // It was unlinked since it was listed.
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** An engine that brings one directory's files to the other whenever an exchange is over. */
  private final class Mirroring extends ForwardingEngine {
    Mirroring(Engine engine) {
      super(engine);
    }

    @Override
    protected Channel decorate(Channel channel) {
      return new MirroringChannel(channel);
    }
  }

  private final class MirroringChannel extends ForwardingEngine.ForwardingChannel {
    MirroringChannel(Channel channel) {
      super(channel);
    }

    @Override
    public Exchange allGather(byte[] mine) {
      Exchange exchange = super.allGather(mine);
      return new Exchange() {
        @Override
        public boolean isDone() {
          boolean done = exchange.isDone();
          if (done) {
            mirror();
          }
          return done;
        }

        @Override
        public byte[][] result() {
          return exchange.result();
        }
      };
    }
  }
}
