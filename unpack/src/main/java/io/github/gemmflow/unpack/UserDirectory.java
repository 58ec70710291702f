// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.unpack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Directory of this user from which native libraries can be loaded, because no other user can put
 * anything there. Whoever can write to a directory above it can exchange it between a check and the
 * loading, so all directories up to the root of the file system are checked.
 */
public final class UserDirectory {
  private static final FileAttribute<?> OURS_ALONE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  // Bits of a mode; see inode(7).
  private static final int WRITABLE_BY_OTHERS = 0022;
  private static final int STICKY = 01000;

  private static final int ROOT = 0;

  private UserDirectory() {}

  /** The directory for what Gemmflow keeps between runs, below this user's own. */
  public static Path cache() {
    String given = System.getenv().getOrDefault("XDG_CACHE_HOME", "");
    Path home = Path.of(System.getProperty("user.home"), ".cache");
    return (given.isEmpty() ? home : Path.of(given)).resolve("gemmflow");
  }

  /**
   * Makes a directory, unless it is there, and checks it.
   *
   * @param parent the directory that it is in; made, too
   * @param name its name there
   * @return its path without symbolic links, since others may be able to change those
   * @throws SecurityException if another user can put something there
   */
  public static Path open(Path parent, String name) throws IOException {
    Path place = Files.createDirectories(parent, OURS_ALONE).toRealPath();
    Path directory = place.resolve(name);
    int user = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    for (Path above = place; above != null; above = above.getParent()) {
      Attributes found = Attributes.of(above);
      boolean trusted = found.owner == user || found.owner == ROOT;
      // Where the sticky bit is set, as on /tmp, others cannot exchange what is not theirs.
      if (!trusted || (found.has(WRITABLE_BY_OTHERS) && !found.has(STICKY))) {
        throw unsafe(directory, above, found);
      }
    }
    Files.createDirectories(directory, OURS_ALONE);
    Attributes found = Attributes.of(directory);
    if (found.owner != user || found.has(WRITABLE_BY_OTHERS)) {
      throw unsafe(directory, directory, found);
    }
    return directory;
  }

  private static SecurityException unsafe(Path directory, Path cause, Attributes found)
      throws IOException {
    return new SecurityException(
        "native libraries are not loaded from %s, because another user can write there: %s has owner %d and permissions %s. If it is yours, run: chmod go-w %s. Otherwise set XDG_CACHE_HOME to a directory of your own"
            .formatted(
                directory,
                cause,
                found.owner,
                PosixFilePermissions.toString(
                    Files.getPosixFilePermissions(cause, LinkOption.NOFOLLOW_LINKS)),
                cause));
  }

  /** Owner and mode of a directory, or of the link that is in its place. */
  private record Attributes(int owner, int mode) {
    static Attributes of(Path path) throws IOException {
      return new Attributes(
          (int) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS),
          (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS));
    }

    boolean has(int bits) {
      return (mode & bits) != 0;
    }
  }
}
