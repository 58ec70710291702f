// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.data;

import io.github.gemmflow.files.MatrixFile;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Location of a matrix: one file, or a file of each rank, whose name has {@code {rank}} where the
 * rank's number belongs. Where groups of ranks work side by side, {@code {group}} stands for the
 * number of the group, and ranks are counted in it.
 *
 * @param text as a person wrote it
 */
public record Where(String text) {
  private static final String RANK = "{rank}";
  private static final String GROUP = "{group}";

  public Where {
    Path first = MatrixFile.path(text.replace(RANK, "0"));
    if (text.contains(RANK) && first.equals(MatrixFile.path(text.replace(RANK, "1")))) {
      throw new IllegalArgumentException(
          "%s: {rank} belongs in the name of the file, not of the tensor".formatted(text));
    }
  }

  /** Whether each rank has a file of its own. */
  public boolean isPerRank() {
    return text.contains(RANK);
  }

  /** Whether each group has files of its own. */
  boolean isPerGroup() {
    return text.contains(GROUP);
  }

  /** The files of a group. */
  public Where inGroup(int group) {
    return new Where(text.replace(GROUP, Integer.toString(group)));
  }

  /** The file of a rank. */
  public String of(int rank) {
    return text.replace(RANK, Integer.toString(rank));
  }

  /** How many ranks have a file, counted from rank 0. */
  public int count() {
    int ranks = 0;
    while (isPerRank() && Files.exists(MatrixFile.path(of(ranks)))) {
      ranks++;
    }
    return ranks;
  }

  /**
   * Makes the directory of a rank's file, unless it is there.
   *
   * @throws IllegalArgumentException if a file has its name
   */
  void makeDirectory(int rank) throws IOException {
    Path directory = MatrixFile.path(of(rank)).toAbsolutePath().getParent();
    if (directory == null) {
      throw new IllegalArgumentException(text + " is a directory: name a file in it");
    }
    try {
      Files.createDirectories(directory);
    } catch (FileAlreadyExistsException e) {
      throw new IllegalArgumentException(
          "%s: %s is a file, not a directory".formatted(text, e.getMessage()), e);
    }
  }

  @Override
  public String toString() {
    return text;
  }
}
