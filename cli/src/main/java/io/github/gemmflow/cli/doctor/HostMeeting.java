// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import io.github.gemmflow.cli.doctor.check.Machine;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Meeting of the ranks of a host, through files: MPI may be what is broken. Each rank leaves its
 * findings in a file; the first one reads all files, prints, and deletes them; the others wait for
 * that, because launchers end a job as soon as one of its processes ends with an error.
 */
final class HostMeeting {
  private static final Duration LOOK = Duration.ofMillis(20);

  private final Path directory;
  private final String name;
  private final HostRanks ranks;

  /**
   * A place to meet.
   *
   * @param name what no other job of this host has
   */
  HostMeeting(Path directory, String name, HostRanks ranks) {
    this.directory = directory;
    this.name = name;
    this.ranks = ranks;
  }

  /**
   * A name that the ranks of a job have in common on this host: the number and the start time of
   * the process that the launcher left there to start them. Ranks may be started by scripts, which
   * have their variables.
   */
  static String nameOfJob(Machine machine, HostRanks ranks) {
    Optional<ProcessHandle> starter = ProcessHandle.current().parent();
    while (starter.isPresent() && isRank(machine, starter.get(), ranks.variable())) {
      starter = starter.get().parent();
    }
    long pid = starter.map(ProcessHandle::pid).orElse(0L);
    return "gemmflow-doctor-%s-%d-%s".formatted(machine.host(), pid, startTime(machine, pid));
  }

  private static boolean isRank(Machine machine, ProcessHandle process, String variable) {
    return machine
        .read("proc/%d/environ".formatted(process.pid()))
        .filter(environment -> ("\0" + environment).contains("\0" + variable + "="))
        .isPresent();
  }

  /** Field 22 of proc_pid_stat(5), in clock ticks after boot; the second may hold blanks. */
  private static String startTime(Machine machine, long pid) {
    return machine
        .read("proc/%d/stat".formatted(pid))
        .map(stat -> stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[19])
        .orElse("");
  }

  /** Leaves findings for the first rank of the host. */
  void leave(RankFindings findings) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    findings.write(new DataOutputStream(bytes));
    Path partial = directory.resolve(name + "-" + ranks.index() + ".partial");
    try (SeekableByteChannel channel =
        Files.newByteChannel(
            partial,
            Set.of(CREATE_NEW, WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      ByteBuffer content = ByteBuffer.wrap(bytes.toByteArray());
      while (content.hasRemaining()) {
        int _ = channel.write(content);
      }
    }
    Path _ = Files.move(partial, file(ranks.index()), ATOMIC_MOVE);
  }

  /** Waits for the findings of all ranks of the host, in their order; only what came in time. */
  List<RankFindings> collect(Duration patience) throws IOException {
    boolean _ = await(() -> present().size() == ranks.count(), patience);
    List<RankFindings> all = new ArrayList<>();
    for (Path file : present()) {
      // Anybody may write to a directory for temporary files.
      if (Files.getOwner(file).equals(Files.getOwner(file(ranks.index())))) {
        try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
          all.add(RankFindings.read(in));
        }
      }
    }
    return all;
  }

  /** Lets the others go: all is printed. */
  void end() throws IOException {
    for (Path file : present()) {
      Files.deleteIfExists(file);
    }
  }

  /**
   * Waits until the first rank has printed what this one left.
   *
   * @return false if that did not happen in time; then nobody will print it
   */
  boolean awaitEnd(Duration patience) throws IOException {
    Path own = file(ranks.index());
    return await(() -> !Files.exists(own), patience) || !Files.deleteIfExists(own);
  }

  private List<Path> present() {
    List<Path> files = new ArrayList<>();
    for (int index = 0; index < ranks.count(); index++) {
      if (Files.isRegularFile(file(index))) {
        files.add(file(index));
      }
    }
    return files;
  }

  private Path file(int index) {
    return directory.resolve(name + "-" + index);
  }

  private static boolean await(BooleanSupplier condition, Duration patience) {
    long start = System.nanoTime();
    try {
      while (!condition.getAsBoolean()) {
        if (System.nanoTime() - start > patience.toNanos()) {
          return false;
        }
        Thread.sleep(LOOK);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
    return true;
  }
}
