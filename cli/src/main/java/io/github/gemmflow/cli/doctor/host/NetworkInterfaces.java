// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.host;

import io.github.gemmflow.cli.doctor.check.Machine;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/** The network interfaces of this host that could carry rows to others. */
public final class NetworkInterfaces {
  /**
   * One that is up, and not the loopback.
   *
   * @param address such as 10.0.0.1
   * @param megabits its speed per second; 0 if it does not say
   * @param bridge whether it leads to containers or virtual machines of this host
   */
  public record Interface(String name, String address, int megabits, boolean bridge) {}

  private NetworkInterfaces() {}

  public static List<Interface> find(Machine machine) throws SocketException {
    List<Interface> found = new ArrayList<>();
    for (NetworkInterface one : NetworkInterface.networkInterfaces().toList()) {
      List<String> addresses =
          one.inetAddresses()
              .filter(address -> !address.isLinkLocalAddress())
              .map(InetAddress::getHostAddress)
              .toList();
      if (one.isUp() && !one.isLoopback() && !addresses.isEmpty()) {
        // IPv4 comes last, and is what people know.
        found.add(
            new Interface(
                one.getName(),
                addresses.getLast(),
                megabits(machine, one.getName()),
                Files.isDirectory(
                    machine.root().resolve("sys/class/net/%s/bridge".formatted(one.getName())))));
      }
    }
    return found;
  }

  /** As the driver says; many virtual ones say -1, or nothing. */
  private static int megabits(Machine machine, String name) {
    return machine
        .read("sys/class/net/%s/speed".formatted(name))
        .map(text -> Math.max(0, Integer.parseInt(text.strip())))
        .orElse(0);
  }
}
