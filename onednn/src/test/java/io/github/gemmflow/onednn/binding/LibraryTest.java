// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn.binding;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the library comes from, and what is said when it does not. */
class LibraryTest {
  @TempDir private Path directory;

  private static String failure(String forced, Path cache) {
    DnnlException e = assertThrows(DnnlException.class, () -> Library.load(forced, cache));
    return String.valueOf(e.getMessage());
  }

  @Test
  void theArtifactsLibraryIsCopiedOnceForThisUserAlone() throws IOException {
    Path cache = directory.resolve("cache/gemmflow");
    Path library = Path.of(Library.load("", cache).name());
    assertEquals(
        List.of("libdnnl.so.3", "libgomp.so.1"),
        names(library.resolveSibling(".")),
        "nothing half-finished is left");
    assertEquals(
        "rwx------",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(library.resolveSibling("."))));
    FileTime written = Files.getLastModifiedTime(library);
    assertEquals(library, Path.of(Library.load("", cache).name()));
    assertEquals(written, Files.getLastModifiedTime(library));
    // What somebody left half-written is written again. The old file is in use, so not into it.
    Path companion = library.resolveSibling("libgomp.so.1");
    Files.delete(companion);
    Files.writeString(companion, "half");
    Library.load("", cache);
    assertTrue(Files.size(companion) > 4);
  }

  @Test
  void aCopyOfTheRightSizeWithOtherContentIsReplaced() throws IOException {
    Path cache = directory.resolve("other");
    Path companion = Path.of(Library.load("", cache).name()).resolveSibling("libgomp.so.1");
    byte[] good = Files.readAllBytes(companion);
    byte[] bad = good.clone();
    bad[bad.length / 2] ^= 1;
    Files.delete(companion);
    Files.write(companion, bad);
    Library.load("", cache);
    assertArrayEquals(good, Files.readAllBytes(companion));
  }

  @Test
  void aPlaceThatOthersCanWriteToIsRefused() throws IOException {
    Path cache = directory.resolve("shared");
    Path place = Path.of(Library.load("", cache).name()).getParent();
    Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwxrwxrwx"));
    String said = failure("", cache);
    assertTrue(said.contains("another user can write there"), said);
  }

  /** Whoever can write there can exchange the directory between its check and the loading. */
  @Test
  void aPlaceBelowADirectoryThatOthersCanWriteToIsRefused() throws IOException {
    Path open = Files.createDirectory(directory.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    String said = failure("", open.resolve("gemmflow"));
    assertTrue(said.contains(open + " has owner "), said);
    assertTrue(said.contains(" and permissions rwxrwxrwx"), said);
    assertTrue(said.contains("-Dgemmflow.onednn.library="), said);
  }

  @Test
  void aPlaceOfAnotherUserIsRefused() throws IOException {
    assumeTrue(isRoot(), "only root can give a directory away");
    Path cache = directory.resolve("others");
    Path place = Path.of(Library.load("", cache).name()).getParent();
    Files.setAttribute(place, "unix:uid", 65_534);
    String said = failure("", cache);
    assertTrue(said.contains("has owner 65534 and permissions rwx------"), said);
  }

  private static boolean isRoot() throws IOException {
    return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
  }

  private static List<String> names(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void aLibraryThatIsNotThereIsNamed() {
    String said = failure("/no/such/libdnnl.so.3", directory);
    assertTrue(said.contains("oneDNN cannot be loaded from /no/such/libdnnl.so.3"), said);
    assertTrue(said.contains("-Dgemmflow.onednn.library="), said);
  }

  @Test
  void anotherLibraryIsNotOneDnn() {
    DnnlException e =
        assertThrows(
            DnnlException.class, () -> new NativeDnnl(Library.load("libc.so.6", directory)));
    assertEquals("libc.so.6 is not oneDNN: it has no function dnnl_version", e.getMessage());
  }

  @Test
  void aPlaceThatCannotBeWrittenToIsNamed() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");
    String said = failure("", file);
    assertTrue(said.contains("cannot be copied from jar:file:"), said);
    assertTrue(said.contains(" to " + file), said);
    assertTrue(said.contains("Set XDG_CACHE_HOME"), said);
  }
}
