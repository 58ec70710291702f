// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.check;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Machine as checks see it.
 *
 * @param environment the variables of this process
 * @param properties its system properties
 * @param root what {@code /proc}, {@code /sys} and programs are in
 */
public record Machine(Map<String, String> environment, Map<String, String> properties, Path root) {
  private static final String ALLOWED = "Cpus_allowed_list:";

  /**
   * A setting of Gemmflow that was made.
   *
   * @param source the name of the variable, or the property with its {@code -D}
   */
  public record Setting(String source, String value) {
    /** How to take it back. */
    public String undo() {
      return source.startsWith("-D") ? "remove %s=%s".formatted(source, value) : "unset " + source;
    }
  }

  public static Machine current() {
    Map<String, String> properties = new TreeMap<>();
    System.getProperties()
        .stringPropertyNames()
        .forEach(name -> properties.put(name, System.getProperty(name, "")));
    return new Machine(System.getenv(), properties, Path.of("/"));
  }

  /**
   * A setting; the property wins.
   *
   * @param property its name, such as {@code gemmflow.threads}
   */
  public Optional<Setting> setting(String property) {
    String value = properties.get(property);
    if (value != null) {
      return Optional.of(new Setting("-D" + property, value));
    }
    String variable = property.toUpperCase(Locale.ROOT).replace('.', '_');
    return Optional.ofNullable(environment.get(variable))
        .map(found -> new Setting(variable, found));
  }

  public String property(String name) {
    return properties.getOrDefault(name, "unknown");
  }

  /** Its name. */
  public String host() {
    return read("proc/sys/kernel/hostname").map(String::strip).orElse("this host");
  }

  /** The text of a file, if it can be read. */
  public Optional<String> read(String path) {
    try {
      return Optional.of(Files.readString(root.resolve(path)));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** The cores that the calling thread may run on, as Linux lists them; empty elsewhere. */
  public String coresOfThread() {
    return read("proc/thread-self/status").stream()
        .flatMap(String::lines)
        .filter(line -> line.startsWith(ALLOWED))
        .map(line -> line.substring(ALLOWED.length()).strip())
        .findFirst()
        .orElse("");
  }

  /** Where a program is that a shell would start under this name or path. */
  public Optional<Path> program(String name) {
    if (name.contains("/")) {
      return Optional.of(Path.of(name).toAbsolutePath()).filter(Files::isExecutable);
    }
    return Arrays.stream(environment.getOrDefault("PATH", "").split(":", -1))
        .map(directory -> root.resolve(directory).resolve(name))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
