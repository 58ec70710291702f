// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.cli.Gemmflow;
import io.github.gemmflow.cli.doctor.check.Status;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Runs {@code gemmflow doctor} as a process of its own, in surroundings that may be broken. */
final class Visit {
  private static final Pattern SETTINGS = Pattern.compile("(GEMMFLOW|OMP|GOMP|KMP|ONEDNN|DNNL)_.*");

  private final List<String> before = new ArrayList<>();
  private final Map<String, String> environment = new HashMap<>();
  private final List<String> java = new ArrayList<>();
  private boolean nativeAccess = true;
  private Predicate<String> classPath = entry -> true;

  /** What it said. */
  record Outcome(int exitCode, String text) {
    /** One finding, with all blanks and line ends as single blanks. */
    String finding(String name) {
      List<String> all = findings(name);
      assertFalse(all.isEmpty(), () -> "nothing is said of " + name + ":\n" + text);
      return all.getFirst();
    }

    /** All findings of a name. */
    List<String> findings(String name) {
      String indented = text.replaceAll("\n +", " ");
      return indented
          .lines()
          .filter(line -> line.matches("\\w+ +" + name + " .*"))
          .map(line -> line.replaceAll("\\s+", " "))
          .toList();
    }

    /** Checks the status of a finding, and parts of it. */
    Outcome says(Status status, String name, String... parts) {
      String finding = finding(name);
      assertTrue(finding.startsWith(status + " " + name), finding);
      for (String part : parts) {
        assertTrue(finding.contains(part), () -> "not said: " + part + "\n" + finding);
      }
      return this;
    }

    Outcome exits(int code) {
      assertEquals(code, exitCode, text);
      return this;
    }
  }

  /** Words that start it: a launcher, or what takes something away from it. */
  Visit under(String... words) {
    before.addAll(List.of(words));
    return this;
  }

  /** In a file system of its own, in which a script, run by root, has changed something. */
  Visit after(String script) {
    return under("unshare", "--mount", "sh", "-ec", script + "\nexec \"$@\"", "sh");
  }

  Visit with(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  Visit java(String option) {
    java.add(option);
    return this;
  }

  Visit withoutNativeAccess() {
    nativeAccess = false;
    return java("--illegal-native-access=deny");
  }

  /** Leaves out archives whose names begin like this. */
  Visit without(String archive) {
    classPath = entry -> !Path.of(entry).getFileName().toString().startsWith(archive);
    return this;
  }

  Outcome run(String... options) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(before);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    if (nativeAccess) {
      command.add("--enable-native-access=ALL-UNNAMED");
    }
    command.addAll(java);
    command.add("-cp");
    command.add(
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(classPath)
            .collect(Collectors.joining(File.pathSeparator)));
    command.addAll(List.of(Gemmflow.class.getName(), "doctor"));
    command.addAll(List.of(options));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> SETTINGS.matcher(name).matches());
    builder.environment().putAll(environment);
    Process process = builder.start();
    String text = new String(process.getInputStream().readAllBytes(), UTF_8);
    return new Outcome(process.waitFor(), text);
  }
}
