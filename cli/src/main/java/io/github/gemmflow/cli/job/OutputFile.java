// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.job;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Files that a command writes if it is asked to. */
public final class OutputFile {
  private OutputFile() {}

  /**
   * Finds out before a long run what would be found out after it.
   *
   * @throws CommandException if there is no directory for one of these files, or one in its place
   */
  public static void check(@Nullable Path... files) {
    for (Path file : files) {
      Path directory = file == null ? null : file.toAbsolutePath().getParent();
      if (directory != null && !Files.isDirectory(directory)) {
        throw new CommandException(
            ExitCode.INPUT,
            "%s: the directory %s does not exist: create it first".formatted(file, directory));
      }
      if (file != null && Files.isDirectory(file)) {
        throw new CommandException(
            ExitCode.INPUT, "%s is a directory: name a file in it".formatted(file));
      }
    }
  }

  /** Writes a file, if one is wanted. */
  public static void write(@Nullable Path file, String text) {
    if (file == null) {
      return;
    }
    check(file);
    try {
      Files.writeString(file, text);
    } catch (AccessDeniedException e) {
      throw new CommandException(ExitCode.INPUT, "%s: no permission to write it".formatted(file));
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.INPUT, "%s: cannot be written: %s".formatted(file, e.getMessage()));
    }
  }
}
