// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.engine.Exchange;
import io.github.gemmflow.failure.DisagreementException;
import io.github.gemmflow.matrix.Block;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
        String.valueOf(assertThrows(DisagreementException.class, () -> world.run(w -> {})));
    assertTrue(message.contains("do not share the memory behind them"), message);
    assertTrue(message.contains("-Dgemmflow.window.directory"), message);
  }

  private void mirror() {
    try (Stream<Path> files = Files.list(original)) {
      for (Path file : files.toList()) {
        Path target = copy.resolve(file.getFileName());
        if (!Files.exists(target)) {
          Files.copy(file, target);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** An engine that brings one directory's files to the other whenever an exchange is over. */
  private final class Mirroring implements Engine {
    private final Engine engine;

    Mirroring(Engine engine) {
      this.engine = engine;
    }

    @Override
    public String name() {
      return "mirroring";
    }

    @Override
    public int rank() {
      return engine.rank();
    }

    @Override
    public int size() {
      return engine.size();
    }

    @Override
    public String island() {
      return engine.island();
    }

    @Override
    public boolean announces() {
      return engine.announces();
    }

    @Override
    public void onActivity(Runnable wakeUp) {
      engine.onActivity(wakeUp);
    }

    @Override
    public Channel world() {
      return new MirroringChannel(engine.world());
    }

    @Override
    public Channel split(int color) {
      return engine.split(color);
    }

    @Override
    public int progress() {
      return engine.progress();
    }

    @Override
    public void abort(String reason) {
      engine.abort(reason);
    }

    @Override
    public void close() {
      engine.close();
    }
  }

  private final class MirroringChannel implements Channel {
    private final Channel channel;

    MirroringChannel(Channel channel) {
      this.channel = channel;
    }

    @Override
    public int rank() {
      return channel.rank();
    }

    @Override
    public int size() {
      return channel.size();
    }

    @Override
    public int send(int target, int tag, Block block, boolean synchronous) {
      return channel.send(target, tag, block, synchronous);
    }

    @Override
    public int receive(int source, int tag, Block block) {
      return channel.receive(source, tag, block);
    }

    @Override
    public boolean isDone(int request) {
      return channel.isDone(request);
    }

    @Override
    public boolean cancel(int request) {
      return channel.cancel(request);
    }

    @Override
    public Exchange allGather(byte[] mine) {
      Exchange exchange = channel.allGather(mine);
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
