// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.command;

import io.github.gemmflow.measure.record.RecordedStep;
import io.github.gemmflow.measure.record.Trace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** File of a timeline, for the browser's trace viewers and {@code gemmflow report}. */
public final class TraceFile {
  private TraceFile() {}

  public static void write(Path file, RecordedStep recording) {
    try {
      Files.writeString(file, Trace.write(recording));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write %s: %s".formatted(file, e), e);
    }
  }
}
