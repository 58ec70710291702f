// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.peers;

import io.github.gemmflow.system.Lab;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Programs on hosts of the lab, and what they print. */
public final class Programs {
  private static final int MINUTES = 10;
  private static final int SECONDS_TO_START = 20;

  private Programs() {}

  /** The command that runs another on a host, which has a number from 0 on. */
  static List<String> on(int host, List<String> command) {
    List<String> all = new ArrayList<>(List.of(Lab.program(), "exec", "h" + (host + 1)));
    all.addAll(command);
    return all;
  }

  /** The path of the {@code gemmflow} command of this checkout. */
  static String gemmflow() {
    return Path.of(Lab.program()).resolveSibling("../gemmflow").normalize().toString();
  }

  /** Runs a command to its end, and returns what it printed. */
  public static String run(List<String> command) throws IOException, InterruptedException {
    Path output = Files.createTempFile("gemmflow-peers-", ".txt");
    try {
      Process process = start(command, output);
      boolean isOver = process.waitFor(MINUTES, TimeUnit.MINUTES);
      end(process);
      String text = Files.readString(output);
      if (!isOver || process.exitValue() != 0) {
        throw new IOException("%s has failed: %s".formatted(command, text));
      }
      return text;
    } finally {
      Files.delete(output);
    }
  }

  /** Starts a command that goes on until it is ended. */
  private static Process start(List<String> command, Path output) throws IOException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start();
  }

  /** Ends a command and what it started. */
  private static void end(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  /**
   * Runs a command on the first host, while another, which listens on a port, goes on on each host
   * from another on; returns what the first printed.
   */
  static String runBeside(int from, int hosts, int port, List<String> other, List<String> command)
      throws IOException, InterruptedException {
    List<Process> others = new ArrayList<>();
    try {
      for (int host = from; host < hosts; host++) {
        Path output = Files.createTempFile("gemmflow-peers-", ".txt");
        output.toFile().deleteOnExit();
        others.add(start(on(host, other), output));
        awaitPort(host, port, output);
      }
      return run(on(0, command));
    } finally {
      others.forEach(Programs::end);
    }
  }

  /** Addresses and a port of the hosts from one on, as programs that use them are told. */
  static List<String> addresses(int from, int hosts, int port) {
    return IntStream.range(from, hosts).mapToObj(host -> address(host) + ":" + port).toList();
  }

  /**
   * Waits until a program that goes on listens on a port of its host. What it prints may not come
   * out for long, and to connect would disturb it.
   */
  private static void awaitPort(int host, int port, Path output)
      throws IOException, InterruptedException {
    // Local address and port, the other side's, and the state: 0A for one that listens.
    Pattern listens = Pattern.compile(":%04X [0-9A-F:]+ 0A ".formatted(port));
    for (int tries = 0; tries < SECONDS_TO_START * 5; tries++) {
      if (listens.matcher(run(on(host, List.of("cat", "/proc/net/tcp")))).find()) {
        return;
      }
      Thread.sleep(200);
    }
    throw new IOException("it did not start: " + Files.readString(output));
  }

  /** The address of a host of the lab, which has a number from 0 on. */
  private static String address(int host) {
    return "10.88.77." + (host + 1);
  }

  /** The numbers that a pattern's first group finds in a text, at least one. */
  static List<Double> numbers(String pattern, String text) throws IOException {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    List<Double> numbers = new ArrayList<>();
    while (matcher.find()) {
      numbers.add(Double.parseDouble(matcher.group(1)));
    }
    if (numbers.isEmpty()) {
      throw new IOException("there is no '%s' in: %s".formatted(pattern, text));
    }
    return numbers;
  }
}
