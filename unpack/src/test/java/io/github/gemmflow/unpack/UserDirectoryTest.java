// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.unpack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Directories that other users can put something into, and those that they cannot. */
class UserDirectoryTest {
  /** No user of any machine that the tests run on. */
  private static final int STRANGER = 65_533;

  @TempDir private Path temporary;

  private Path above;
  private Path parent;

  @BeforeEach
  void makeDirectories() throws IOException {
    temporary = temporary.toRealPath();
    above = Files.createDirectory(temporary.resolve("above"));
    parent = Files.createDirectory(above.resolve("parent"));
    setMode(above, 0755);
    setMode(parent, 0755);
  }

  private static void setMode(Path directory, int mode) throws IOException {
    Files.setAttribute(directory, "unix:mode", mode);
  }

  private static void assertRefused(Path parent, String cause) {
    SecurityException e =
        assertThrows(SecurityException.class, () -> UserDirectory.open(parent, "libraries"));
    assertTrue(String.valueOf(e.getMessage()).contains(cause), e::toString);
  }

  private static void giveAway(Path path) throws IOException {
    Object user = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    assumeTrue(user.equals(0), "only root can give a directory away");
    Files.setAttribute(path, "unix:uid", STRANGER, LinkOption.NOFOLLOW_LINKS);
  }

  @Test
  void whatIsMadeIsForThisUserAlone() throws IOException {
    Path made = UserDirectory.open(parent.resolve("new"), "libraries");
    assertEquals(parent.resolve("new/libraries"), made);
    for (Path directory : new Path[] {made, made.resolveSibling(".")}) {
      assertEquals(
          "rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)));
    }
    assertEquals(made, UserDirectory.open(parent.resolve("new"), "libraries"));
  }

  @ParameterizedTest
  @ValueSource(ints = {0777, 0775, 0757, 0730})
  void noDirectoryAboveMayBeWritableByOthers(int mode) throws IOException {
    setMode(above, mode);
    assertRefused(parent, above + " has owner ");
    setMode(above, 0700);
    setMode(parent, mode);
    assertRefused(parent, parent + " has owner ");
    assertFalse(Files.exists(parent.resolve("libraries")));
  }

  /** As /tmp is: others can make entries there, but not exchange those of this user. */
  @Test
  void aStickyDirectoryAboveIsGoodEnough() throws IOException {
    setMode(above, 01777);
    setMode(parent, 01777);
    assertEquals(parent.resolve("libraries"), UserDirectory.open(parent, "libraries"));
  }

  /** Whoever can make a file there can make one that a library loads from beside it. */
  @ParameterizedTest
  @ValueSource(ints = {0777, 01777, 0720, 0702})
  void theDirectoryItselfIsNotWritableByOthers(int mode) throws IOException {
    Path directory = Files.createDirectory(parent.resolve("libraries"));
    setMode(directory, mode);
    assertRefused(parent, directory + " has owner ");
  }

  /** Its owner can open it to others, or exchange what is in it, at any time. */
  @Test
  void noDirectoryAboveBelongsToAnotherUser() throws IOException {
    giveAway(above);
    assertRefused(parent, above + " has owner 65533 and permissions rwxr-xr-x");
  }

  /** Not even if the sticky bit is set: it does not keep the owner away. */
  @Test
  void noStickyDirectoryAboveBelongsToAnotherUser() throws IOException {
    giveAway(parent);
    setMode(parent, 01777);
    assertRefused(parent, parent + " has owner 65533 and permissions rwxrwxrwx");
  }

  @Test
  void theDirectoryItselfBelongsToThisUser() throws IOException {
    Path directory = Files.createDirectory(parent.resolve("libraries"));
    giveAway(directory);
    assertRefused(parent, directory + " has owner 65533");
  }

  /** A link of another user's would point elsewhere after the check. */
  @Test
  void linksOnTheWayAreResolved() throws IOException {
    Path link = Files.createSymbolicLink(temporary.resolve("link"), above);
    assertEquals(
        parent.resolve("libraries"), UserDirectory.open(link.resolve("parent"), "libraries"));
  }

  /** What a link points to is checked, and not only what it lies in. */
  @Test
  void linksDoNotLeadToWhereOthersCanWrite() throws IOException {
    Path link = Files.createSymbolicLink(temporary.resolve("link"), parent);
    setMode(above, 0777);
    assertRefused(link, above + " has owner ");
  }

  @Test
  void theDirectoryItselfIsNoLink() throws IOException {
    Path elsewhere = Files.createDirectory(above.resolve("elsewhere"));
    setMode(elsewhere, 0700);
    Files.createSymbolicLink(parent.resolve("libraries"), elsewhere);
    assertRefused(parent, parent.resolve("libraries") + " has owner ");
  }
}
