// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Places that the tokenizer's library is loaded from, and those that it is not. */
class TokenizerLibraryTest {
  @TempDir private Path directory;
  private Path model;
  private Path openToAll;

  @BeforeEach
  void makeDirectories() throws IOException {
    directory = directory.toRealPath();
    model = directory.resolve("model");
    TestTokenizer.write(Files.createDirectory(model));
    openToAll = Files.createDirectory(directory.resolve("open"));
    Files.setPosixFilePermissions(openToAll, PosixFilePermissions.fromString("rwxrwxrwx"));
  }

  @Test
  void itIsUnpackedOnceForThisUserAlone() throws IOException {
    Path cache = directory.resolve("cache");
    Path library = TokenizerLibrary.unpack(cache);
    assertTrue(library.startsWith(cache), library::toString);
    assertEquals(
        "rwx------",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(library.resolveSibling("."))));
    FileTime written = Files.getLastModifiedTime(library);
    assertEquals(library, TokenizerLibrary.unpack(cache));
    assertEquals(written, Files.getLastModifiedTime(library));
  }

  @Test
  void aPlaceThatCannotBeWrittenToIsNamed() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");
    UncheckedIOException e =
        assertThrows(UncheckedIOException.class, () -> TokenizerLibrary.unpack(file));
    assertTrue(String.valueOf(e.getMessage()).contains(" to " + file), e::toString);
    assertTrue(String.valueOf(e.getMessage()).contains("Set XDG_CACHE_HOME"), e::toString);
  }

  /** Whoever can write there can exchange the library between its check and the loading. */
  @Test
  void aPlaceBelowADirectoryThatOthersCanWriteToIsRefused() throws Exception {
    String said = TokenizerProgram.run(model, openToAll);
    assertTrue(said.contains("another user can write there: " + openToAll), said);
    assertTrue(said.contains("set XDG_CACHE_HOME to a directory of your own"), said);
  }

  /** DJL looks there if the home of a user cannot be written to, as those of services. */
  @Test
  void whatAnotherUserPutsBelowTheTemporaryDirectoryIsNotLoaded() throws Exception {
    Properties artifact = new Properties();
    URL properties = ClassLoader.getSystemResource("native/lib/tokenizers.properties");
    try (InputStream in = Objects.requireNonNull(properties).openStream()) {
      artifact.load(in);
    }
    String version = artifact.getProperty("version");
    String machine = System.getProperty("os.arch").replace("amd64", "x86_64");
    Path place =
        openToAll.resolve(".djl.ai/tokenizers/%s-cpu-linux-%s".formatted(version, machine));
    Files.writeString(Files.createDirectories(place).resolve("libtokenizers.so"), "no library");
    String said =
        TokenizerProgram.run(
            model,
            directory.resolve("cache"),
            "-Duser.home=/nonexistent",
            "-Djava.io.tmpdir=" + openToAll);
    assertEquals(TokenizerProgram.SUCCESS, said);
  }
}
