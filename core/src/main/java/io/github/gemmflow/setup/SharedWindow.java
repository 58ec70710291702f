// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.setup;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.window.Window;
import java.nio.file.Path;
import java.util.Map;

/** Opener of a window on every host of a group. */
public final class SharedWindow {
  private SharedWindow() {}

  /**
   * The lowest rank of each host creates the window, the others open it, and its name is gone when
   * this returns. Collective.
   *
   * @param call what it is for, for messages
   * @param island the engine's, so that pretended hosts do not find each other's windows
   */
  public static Window open(
      String call,
      Agreement agreement,
      Hosts hosts,
      int rank,
      Path directory,
      String island,
      long bytes) {
    int leader = hosts.member(hosts.hostOf(rank), 0);
    String newName = Window.name(island, Window.newToken());
    Window[] created = new Window[1];
    try {
      agreement.reach(
          call,
          Map.of(),
          () -> {
            if (rank == leader) {
              created[0] = Window.create(directory, newName, bytes);
            }
            return true;
          });
      byte[][] names = agreement.exchange(call, newName.getBytes(UTF_8));
      String name = new String(names[leader], UTF_8);
      return agreement.reach(
          call, Map.of(), () -> rank == leader ? created[0] : Window.open(directory, name, bytes));
    } catch (RuntimeException | Error e) {
      if (created[0] != null) {
        created[0].close();
      }
      throw e;
    } finally {
      if (created[0] != null) {
        created[0].unlink();
      }
    }
  }
}
