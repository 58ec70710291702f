// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.host;

import io.github.gemmflow.cli.doctor.check.Finding;
import io.github.gemmflow.cli.doctor.check.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Check of the adapters for InfiniBand and RoCE: whether MPI can open them, whether a port is up,
 * and whether it may lock the memory that they read.
 */
public final class InfiniBandCheck {
  public static final String NAME = "InfiniBand";

  private static final String ADAPTERS = "sys/class/infiniband";
  private static final String DEVICES = "dev/infiniband";
  private static final String LOCKED = "Max locked memory";

  /** Less than this does not hold the buffers of a few connections; the usual limit is 8 MiB. */
  private static final long LITTLE = 64 << 20;

  private InfiniBandCheck() {}

  public static Finding look(Machine machine) throws IOException {
    List<String> adapters = names(machine, ADAPTERS, "");
    if (adapters.isEmpty()) {
      return Finding.ok(NAME, "no adapter: MPI uses TCP or another network that it finds");
    }
    List<String> ports = new ArrayList<>();
    boolean active = false;
    for (String adapter : adapters) {
      String directory = "%s/%s/ports".formatted(ADAPTERS, adapter);
      for (String port : names(machine, directory, "")) {
        String state = line(machine, "%s/%s/state".formatted(directory, port));
        String rate = line(machine, "%s/%s/rate".formatted(directory, port));
        active |= state.contains("ACTIVE");
        ports.add("%s port %s: %s, %s".formatted(adapter, port, state, rate));
      }
    }
    String text = String.join("; ", ports);
    List<String> devices = names(machine, DEVICES, "uverbs");
    if (devices.isEmpty()) {
      return Finding.warning(
          NAME,
          text + ". /dev/infiniband/uverbs* does not exist, so MPI cannot use it",
          "modprobe ib_uverbs, as root",
          "in a container, docker: --device=/dev/infiniband; Kubernetes: an RDMA device plugin");
    }
    for (String device : devices) {
      Path file = machine.root().resolve(DEVICES).resolve(device);
      if (!Files.isReadable(file) || !Files.isWritable(file)) {
        return Finding.warning(
            NAME,
            "%s. /dev/infiniband/%s cannot be opened by this user".formatted(text, device),
            "chmod 666 /dev/infiniband/uverbs*, as root");
      }
    }
    if (!active) {
      return Finding.warning(
          NAME, text + ". No port is active", "plug in the cable, and start a subnet manager");
    }
    Optional<Long> lockable = lockableBytes(machine);
    return lockable.isPresent() && lockable.get() < LITTLE
        ? Finding.warning(
            NAME,
            "%s. This process may lock only %,d KiB of memory"
                .formatted(text, lockable.get() / 1024),
            "ulimit -l unlimited, or memlock in /etc/security/limits.conf, on every host",
            "in a container, docker: --ulimit memlock=-1")
        : Finding.ok(NAME, text);
  }

  private static List<String> names(Machine machine, String directory, String start)
      throws IOException {
    Path path = machine.root().resolve(directory);
    if (!Files.isDirectory(path)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(path)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith(start))
          .sorted()
          .toList();
    }
  }

  private static String line(Machine machine, String file) {
    return machine.read(file).orElse("unknown").strip();
  }

  /** Nothing if there is no limit. */
  private static Optional<Long> lockableBytes(Machine machine) {
    return machine.read("proc/self/limits").stream()
        .flatMap(String::lines)
        .filter(line -> line.startsWith(LOCKED))
        .map(line -> line.substring(LOCKED.length()).strip().split("\\s+", -1)[0])
        .filter(limit -> !limit.equals("unlimited"))
        .map(Long::parseLong)
        .findFirst();
  }
}
