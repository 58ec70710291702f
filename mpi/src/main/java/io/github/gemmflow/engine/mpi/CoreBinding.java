// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.engine.mpi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Whether this process may run on one core only, as Open MPI's mpirun has it for jobs of up to two
 * ranks: then the threads that multiply and the one that communicates take turns.
 */
final class CoreBinding {
  private static final String ALLOWED = "Cpus_allowed_list:";

  private CoreBinding() {}

  /**
   * What to say about it, if there is anything to say.
   *
   * @param unbind the option of the launcher that mends it
   */
  static Optional<String> warning(String unbind) {
    try {
      String allowed =
          Files.readAllLines(Path.of("/proc/self/status")).stream()
              .filter(line -> line.startsWith(ALLOWED))
              .map(line -> line.substring(ALLOWED.length()))
              .findFirst()
              .orElse("");
      return warning(allowed, Files.readString(Path.of("/sys/devices/system/cpu/online")), unbind);
    } catch (IOException e) {
      // Not a Linux: nobody binds there.
      return Optional.empty();
    }
  }

  /**
   * For lists of cores as Linux writes them, such as {@code 0-3,8}.
   *
   * @param allowed those that this process may run on
   * @param online those of the machine
   */
  static Optional<String> warning(String allowed, String online, String unbind) {
    int cores = count(online);
    if (count(allowed) != 1 || cores == 1) {
      return Optional.empty();
    }
    String mend = unbind.isEmpty() ? "" : "; give the launcher the option " + unbind;
    return Optional.of(
        "this process is bound to core %s, one of %d, so that communication and multiplication take turns%s"
            .formatted(allowed.strip(), cores, mend));
  }

  private static int count(String list) {
    int count = 0;
    for (String range : list.strip().split(",", -1)) {
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
