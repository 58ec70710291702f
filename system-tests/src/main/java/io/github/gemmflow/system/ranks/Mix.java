// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system.ranks;

import io.github.gemmflow.Config;
import io.github.gemmflow.Group;
import io.github.gemmflow.ReplicaGroups;
import io.github.gemmflow.World;
import io.github.gemmflow.kit.Draw;
import io.github.gemmflow.kit.OperatorCase;
import io.github.gemmflow.mpi.binding.Launcher;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Rank that does several things at once, whose results are all exact: operators in two groups and
 * broadcasts and bytes between two ranks in a third, each in a thread of its own, while groups and
 * workspaces come and go. The machine pretends to be several hosts: ranks share memory only with
 * those of the same window directory. Arguments: seconds, hosts, the first seed.
 */
public final class Mix {
  private static final int BROADCASTS = 40;

  private final World world;
  private long rounds;

  private Mix(World world) {
    this.world = world;
  }

  public static void main(String[] arguments) throws IOException {
    long seconds = Long.parseLong(arguments[0]);
    int hosts = Integer.parseInt(arguments[1]);
    long seed = Long.parseLong(arguments[2]);
    Path directory = windowDirectory(hosts);
    Config config =
        Config.builder()
            .windowDirectory(directory)
            .deadline(Duration.ofSeconds(60))
            .setupDeadline(Duration.ofSeconds(60))
            .threads(1 + Launcher.current().rank() % 2)
            .build();
    World.run(
        config,
        world -> {
          Mix mix = new Mix(world);
          Report.run("mix", () -> mix.run(seconds, seed));
          if (world.rank() == 0) {
            Report.figure(
                "%d rounds, each of two cases of operators, and of %d broadcasts and transfers between two ranks"
                    .formatted(mix.rounds, BROADCASTS));
          }
        });
    // Another rank of the same host may have done so, or still have its window there.
    if (directory.toFile().delete()) {
      System.out.println("deleted " + directory);
    }
  }

  /** Neighbours in the order of ranks are on the same host. */
  private static Path windowDirectory(int hosts) throws IOException {
    Launcher launcher = Launcher.current();
    int host = launcher.rank() * hosts / launcher.tasks();
    Path job = Path.of(System.getProperty(Report.DIRECTORY, "gemmflow-mix")).getFileName();
    return Files.createDirectories(Path.of("/dev/shm", "%s-host%d".formatted(job, host)));
  }

  private void run(long seconds, long seed) throws InterruptedException, ExecutionException {
    long end = System.nanoTime() + seconds * 1_000_000_000;
    while (goesOn(end)) {
      round(seed + 3 * rounds);
      rounds++;
    }
  }

  /** Rank 0 decides, because no two ranks have the same clock. */
  private boolean goesOn(long end) {
    byte[] word = {(byte) (System.nanoTime() < end ? 1 : 0)};
    return world.group().broadcast(0, world.rank() == 0 ? word : null)[0] == 1;
  }

  private void round(long seed) throws InterruptedException, ExecutionException {
    List<Group> groups = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
      for (int i = 0; i < 3; i++) {
        groups.add(world.split(ReplicaGroups.ofSize(world.size())));
      }
      List<Callable<Void>> work =
          List.of(
              () -> operators(groups.get(0), seed),
              () -> operators(groups.get(1), seed + 1),
              () -> broadcasts(groups.get(2), seed + 2));
      for (Future<Void> done : threads.invokeAll(work)) {
        Void _ = done.get();
      }
    } finally {
      groups.forEach(Group::close);
    }
  }

  private Void operators(Group group, long seed) {
    try {
      OperatorCase.run(world, group, seed);
      return null;
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("the operators of seed %d: %s".formatted(seed, e), e);
    }
  }

  /** Of bytes between two ranks that differ. */
  private static void transfer(Group group, Draw draw, int number, long seed) {
    int source = draw.below(group.size());
    int target = (source + 1 + draw.below(group.size() - 1)) % group.size();
    byte[] bytes = new byte[draw.chance(0.1) ? draw.below(5_000_000) : draw.below(5_000)];
    Arrays.fill(bytes, (byte) number);
    if (group.rank() == source) {
      group.send(target, MemorySegment.ofArray(bytes));
    } else if (group.rank() == target) {
      byte[] received = new byte[bytes.length];
      group.receive(source, MemorySegment.ofArray(received));
      if (!Arrays.equals(received, bytes)) {
        throw new AssertionError("transfer %d of seed %d is another one".formatted(number, seed));
      }
    }
  }

  private Void broadcasts(Group group, long seed) {
    Draw draw = new Draw(seed);
    for (int i = 0; i < BROADCASTS; i++) {
      int root = draw.below(group.size());
      byte[] bytes = new byte[draw.chance(0.2) ? draw.below(100_000) : draw.below(50)];
      for (int at = 0; at < bytes.length; at++) {
        bytes[at] = (byte) (31 * at + i);
      }
      byte[] got = group.broadcast(root, group.rank() == root ? bytes : null);
      if (!Arrays.equals(got, bytes)) {
        throw new AssertionError("broadcast %d of seed %d is another one".formatted(i, seed));
      }
      transfer(group, draw, i, seed);
    }
    return null;
  }
}
