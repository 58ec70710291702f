// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The hosts that a job of several runs on; for one host there is nothing to do. */
public final class Lab {
  /**
   * In place of a rate: the hosts are pretended, and MPI carries what passes between them through
   * the memory of this one.
   */
  public static final String MEMORY = "memory";

  private final int hosts;
  private final String rate;
  private boolean mine;

  /** Hosts whose links have no limit, unless they are up already. */
  public Lab(int hosts) {
    this(hosts, "");
  }

  /**
   * Hosts.
   *
   * @param rate of each link, such as 200mbit; empty for any, or {@link #MEMORY}
   */
  public Lab(int hosts, String rate) {
    this.hosts = hosts;
    this.rate = rate;
  }

  /** Whether there are links between hosts, which count what they carry. */
  public boolean hasLinks() {
    return hosts > 1 && !isPretended();
  }

  /** Whether ranks of this host take themselves to be on several. */
  public boolean isPretended() {
    return rate.equals(MEMORY);
  }

  public void up() {
    String wanted = hosts + " hosts";
    String status = hasLinks() ? call("status").lines().getFirst() : wanted;
    if (status.startsWith(wanted)
        && (!hasLinks() || rate.isEmpty() || status.endsWith(" of " + rate))) {
      return;
    }
    String limit = rate.isEmpty() ? "none" : rate;
    Job.Result result = call("up", "--hosts", Integer.toString(hosts), "--rate", limit);
    if (result.exitCode() != 0) {
      throw new IllegalStateException(result.text());
    }
    mine = !status.startsWith(wanted);
  }

  /** Ends what {@link #up} began, not what was there before. */
  public void down() {
    if (mine) {
      call("down");
    }
  }

  /** What has come into the first host over its link so far; 0 if there are no links. */
  public long bytesIntoFirstHost() throws IOException {
    Path sentByTheOtherEnd = Path.of("/sys/class/net/gflab-h1/statistics/tx_bytes");
    return hasLinks() ? Long.parseLong(Files.readString(sentByTheOtherEnd).strip()) : 0;
  }

  /** Runs a command on a host of the lab. */
  static Job.Result exec(int host, String... command) {
    List<String> words = new ArrayList<>(List.of("exec", "h" + (host + 1)));
    words.addAll(List.of(command));
    return call(words.toArray(String[]::new));
  }

  /** The program that makes hosts, found from where this class lies. */
  public static String program() {
    Path here = Path.of(Lab.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    for (Path path = here; path != null; path = path.getParent()) {
      Path program = path.resolve("lab/gemmflow-lab");
      if (Files.isExecutable(program)) {
        return program.toString();
      }
    }
    throw new IllegalStateException("there is no lab/gemmflow-lab above " + here);
  }

  private static Job.Result call(String... arguments) {
    List<String> command = new ArrayList<>(List.of(program()));
    command.addAll(List.of(arguments));
    return Job.execute(command, Duration.ofMinutes(2));
  }
}
