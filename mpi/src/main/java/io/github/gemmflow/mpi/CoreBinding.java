// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi;

import io.github.gemmflow.mpi.binding.Launcher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The cores that this process may run on, in lists as Linux writes them, such as {@code 0-3,8}.
 * Open MPI's mpirun gives each rank of a job of up to two only one: then the threads that multiply
 * and the one that communicates take turns.
 *
 * @param allowed those that this process may run on
 * @param parentAllowed those that the process may run on that started it; empty if not known
 * @param online those of the machine
 */
public record CoreBinding(String allowed, String parentAllowed, String online) {
  private static final String ALLOWED = "Cpus_allowed_list:";
  private static final String PARENT = "PPid:";

  /** Removes blanks. */
  public CoreBinding {
    allowed = allowed.strip();
    parentAllowed = parentAllowed.strip();
    online = online.strip();
  }

  /**
   * That of this process.
   *
   * @param root what {@code /proc} and {@code /sys} are in
   * @return nothing on systems other than Linux: nobody binds there
   */
  public static Optional<CoreBinding> read(Path root) {
    try {
      Path processes = root.resolve("proc");
      String parent = field(processes.resolve("self"), PARENT);
      return Optional.of(
          new CoreBinding(
              field(processes.resolve("self"), ALLOWED),
              parentAllowed(processes.resolve(parent)),
              Files.readString(root.resolve("sys/devices/system/cpu/online"))));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** What to say about this process; whoever gave it one core on purpose, as a lab does, knows. */
  static Optional<String> warningOfThisProcess() {
    return read(Path.of("/"))
        .filter(binding -> !binding.isInherited())
        .flatMap(binding -> binding.warning(Launcher.current().unbind()));
  }

  /** Empty if the parent may not be looked at. */
  private static String parentAllowed(Path parent) {
    try {
      return field(parent, ALLOWED);
    } catch (IOException e) {
      return "";
    }
  }

  private static String field(Path process, String name) throws IOException {
    return Files.readAllLines(process.resolve("status")).stream()
        .filter(line -> line.startsWith(name))
        .map(line -> line.substring(name.length()).strip())
        .findFirst()
        .orElse("");
  }

  /** Whether the launcher has no more cores either: its options cannot give what it has not. */
  public boolean isInherited() {
    return allowed.equals(parentAllowed);
  }

  /** How many cores this process may run on. */
  public int allowedCores() {
    return count(allowed);
  }

  /** How many cores the machine has. */
  public int onlineCores() {
    return count(online);
  }

  /**
   * What to say about it, if there is anything to say.
   *
   * @param unbind the option of the launcher that fixes it; empty if there is none
   */
  public Optional<String> warning(String unbind) {
    if (allowedCores() != 1 || onlineCores() == 1) {
      return Optional.empty();
    }
    String fix =
        unbind.isEmpty() || isInherited() ? "" : "; give the launcher the option " + unbind;
    return Optional.of(
        "this process is bound to core %s, one of %d, so communication and multiplication take turns%s"
            .formatted(allowed, onlineCores(), fix));
  }

  private static int count(String list) {
    int count = 0;
    for (String range : list.split(",", -1)) {
      int dash = range.indexOf('-');
      count +=
          dash < 0
              ? 1
              : Integer.parseInt(range.substring(dash + 1))
                  - Integer.parseInt(range.substring(0, dash))
                  + 1;
    }
    return count;
  }
}
