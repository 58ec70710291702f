// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.host;

import io.github.gemmflow.cli.doctor.check.Finding;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/** Check of the room for what ranks of one host share. */
public final class SharedMemoryCheck {
  public static final String NAME = "Shared memory";

  private static final long MIB = 1 << 20;

  /** Two steps of 4096 x 4096 in BF16 take 64 MiB; real layers are larger. */
  private static final long SMALL = 256 * MIB;

  private static final String ANOTHER =
      "choose another directory with -Dgemmflow.window.directory=/path";

  private SharedMemoryCheck() {}

  public static Finding look(Path directory) {
    if (!Files.isDirectory(directory)) {
      return Finding.problem(
          NAME,
          directory + " does not exist",
          "mount -t tmpfs -o size=1g tmpfs %s, as root".formatted(directory),
          ANOTHER);
    }
    try {
      Files.delete(Files.createTempFile(directory, "gemmflow-doctor-", ""));
    } catch (IOException e) {
      return Finding.problem(
          NAME,
          "%s cannot be written to: %s".formatted(directory, e.getMessage()),
          "chmod 1777 %s, as root".formatted(directory),
          ANOTHER);
    }
    try {
      FileStore store = Files.getFileStore(directory);
      return judge(directory, store.type(), store.getTotalSpace(), store.getUsableSpace());
    } catch (IOException e) {
      return Finding.warning(
          NAME, "the size of %s is unknown: %s".formatted(directory, e), ANOTHER);
    }
  }

  static Finding judge(Path directory, String type, long total, long free) {
    String text =
        "%s (%s) has %,d of %,d MiB free".formatted(directory, type, free / MIB, total / MIB);
    if (free >= SMALL) {
      return Finding.ok(NAME, text);
    }
    if (total >= SMALL) {
      return Finding.warning(NAME, text, "remove unused files: ls -l " + directory, ANOTHER);
    }
    return Finding.warning(
        NAME,
        text + ", which is little: two steps of 4096 x 4096 in BF16 take 64",
        "mount -o remount,size=1g %s, as root".formatted(directory),
        "in a container, docker: --shm-size=1g; Kubernetes: an emptyDir with medium Memory",
        ANOTHER);
  }
}
