// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.host;

import io.github.gemmflow.cli.doctor.check.Finding;
import io.github.gemmflow.cli.doctor.check.Machine;
import io.github.gemmflow.cli.doctor.host.NetworkInterfaces.Interface;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Check of the networks through which MPI could reach other hosts. */
public final class NetworkCheck {
  public static final String NAME = "Network";

  /** What tells Open MPI, UCX and libfabric which interfaces to use. */
  private static final List<String> RESTRICTIONS =
      List.of(
          "OMPI_MCA_btl_tcp_if_include",
          "OMPI_MCA_btl_tcp_if_exclude",
          "UCX_NET_DEVICES",
          "FI_PROVIDER",
          "FI_TCP_IFACE",
          "FI_SOCKETS_IFACE");

  private NetworkCheck() {}

  public static Finding look(Machine machine, List<Interface> up) {
    if (up.isEmpty()) {
      return Finding.warning(
          NAME,
          "only the loopback interface is up: ranks can run on this host only",
          "for several hosts: ip link set INTERFACE up, and give it an address");
    }
    String text = up.stream().map(NetworkCheck::describe).collect(Collectors.joining("; "));
    String restricted =
        RESTRICTIONS.stream()
            .filter(machine.environment()::containsKey)
            .map(name -> name + "=" + machine.environment().get(name))
            .collect(Collectors.joining(" "));
    if (!restricted.isEmpty()) {
      return Finding.ok(NAME, "%s; MPI is restricted to %s".formatted(text, restricted));
    }
    List<Interface> bridges = up.stream().filter(Interface::bridge).toList();
    if (bridges.isEmpty()) {
      return Finding.ok(NAME, text);
    }
    String best =
        Stream.concat(up.stream().filter(one -> !one.bridge()), up.stream())
            .findFirst()
            .orElseThrow()
            .name();
    return Finding.warning(
        NAME,
        "%s. MPI would also try %s, which may exist on every host without connecting them"
            .formatted(
                text, bridges.stream().map(Interface::name).collect(Collectors.joining(", "))),
        "Open MPI: export OMPI_MCA_btl_tcp_if_include=" + best,
        "MPICH on UCX: export UCX_NET_DEVICES=" + best,
        "MPICH on libfabric: export FI_TCP_IFACE=" + best);
  }

  private static String describe(Interface one) {
    return one.megabits() == 0
        ? "%s %s".formatted(one.name(), one.address())
        : "%s %s at %,d Mbit/s".formatted(one.name(), one.address(), one.megabits());
  }
}
