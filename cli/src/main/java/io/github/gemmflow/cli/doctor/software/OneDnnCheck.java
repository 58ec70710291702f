// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.software;

import io.github.gemmflow.cli.doctor.check.Finding;
import io.github.gemmflow.cli.doctor.check.Machine;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.onednn.OneDnnLibrary;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Check of what multiplies: oneDNN, or only plain Java. */
public final class OneDnnCheck {
  public static final String NAME = "oneDNN";

  private static final String PROPERTY = "gemmflow.onednn.library";

  private @Nullable OneDnnLibrary library;

  /** What was loaded; null before, or if nothing was. */
  public @Nullable OneDnnLibrary library() {
    return library;
  }

  public Finding look(Machine machine, Supplier<OneDnnLibrary> loader) {
    try {
      OneDnnLibrary loaded = loader.get();
      library = loaded;
      return Finding.ok(
          NAME,
          "%s uses %s%s, %s"
              .formatted(loaded.version(), loaded.instructions(), slow(loaded), loaded.file()));
    } catch (RuntimeException | LinkageError e) {
      return missing(machine, String.valueOf(e.getMessage()));
    }
  }

  private static String slow(OneDnnLibrary loaded) {
    return loaded.slowTypes().isEmpty()
        ? ""
        : loaded.slowTypes().stream()
            .map(DType::toString)
            .collect(
                Collectors.joining(", ", " (without instructions for ", ": converted to F32)"));
  }

  private static Finding missing(Machine machine, String why) {
    // The first sentence says what is wrong, the rest what to do.
    String[] sentences = why.split("\\. ", 2);
    String text = sentences[0] + ". Products would be computed in plain Java, which is far slower";
    String fix =
        sentences.length == 2
            ? sentences[1]
            : "name another with -D%s=/path/to/libdnnl.so.3".formatted(PROPERTY);
    return machine
        .setting(PROPERTY)
        .map(named -> Finding.problem(NAME, text, named.undo(), fix))
        .orElseGet(() -> Finding.problem(NAME, text, fix));
  }
}
