// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.plan.Chunking;
import io.github.gemmflow.plan.Schedule;
import io.github.gemmflow.plan.Tuning;
import io.github.gemmflow.window.Idle;
import io.github.gemmflow.window.Window;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How a world behaves. Immutable. What is set here in the program wins; then come system
 * properties, then environment variables, which launchers forward, then defaults.
 *
 * <table>
 * <caption>Settings</caption>
 * <tr><th>property<th>variable<th>default
 * <tr><td>gemmflow.deadline<td>GEMMFLOW_DEADLINE<td>30s
 * <tr><td>gemmflow.setup.deadline<td>GEMMFLOW_SETUP_DEADLINE<td>5m
 * <tr><td>gemmflow.threads<td>GEMMFLOW_THREADS<td>1
 * <tr><td>gemmflow.idle<td>GEMMFLOW_IDLE<td>balanced (or spin, sleep)
 * <tr><td>gemmflow.schedule<td>GEMMFLOW_SCHEDULE<td>mesh (or ring)
 * <tr><td>gemmflow.chunk.rows<td>GEMMFLOW_CHUNK_ROWS<td>0: by rule
 * <tr><td>gemmflow.inflight<td>GEMMFLOW_INFLIGHT<td>4
 * <tr><td>gemmflow.engine<td>GEMMFLOW_ENGINE<td>the best that can be had
 * <tr><td>gemmflow.kernel<td>GEMMFLOW_KERNEL<td>the best that can be had
 * <tr><td>gemmflow.window.directory<td>GEMMFLOW_WINDOW_DIRECTORY<td>/dev/shm
 * </table>
 */
public final class Config {
  private final Duration deadline;
  private final Duration setupDeadline;
  private final int threads;
  private final Idle idle;
  private final Tuning tuning;
  private final String engineName;
  private final String kernelName;
  private final @Nullable Kernel kernel;
  private final Path windowDirectory;

  private Config(Builder b) {
    this.deadline = b.deadline;
    this.setupDeadline = b.setupDeadline;
    this.threads = b.threads;
    this.idle = b.idle;
    this.tuning = b.tuning;
    this.engineName = b.engineName;
    this.kernelName = b.kernelName;
    this.kernel = b.kernel;
    this.windowDirectory = b.windowDirectory;
  }

  /** The settings of this process. */
  public static Config load() {
    return load(System.getProperties(), System.getenv());
  }

  static Config load(Properties properties, Map<String, String> environment) {
    return new Builder(new Settings(properties, environment)).build();
  }

  /** A builder that starts with the settings of this process. */
  public static Builder builder() {
    return new Builder(new Settings(System.getProperties(), System.getenv()));
  }

  /** How long a rank waits inside a step without anything coming in before it gives up. */
  public Duration deadline() {
    return deadline;
  }

  /** How long a rank waits for the others in a collective call outside steps. */
  public Duration setupDeadline() {
    return setupDeadline;
  }

  /** Threads that multiply in each rank, with the caller's. */
  public int threads() {
    return threads;
  }

  Idle idle() {
    return idle;
  }

  /** What operators start from. */
  public Tuning tuning() {
    return tuning;
  }

  /** The engine to use; empty for the best that can be had. */
  public String engineName() {
    return engineName;
  }

  /** The kernel to use; empty for the best that can be had. */
  public String kernelName() {
    return kernelName;
  }

  @Nullable Kernel kernel() {
    return kernel;
  }

  /** Where shared memory is made. */
  public Path windowDirectory() {
    return windowDirectory;
  }

  /** Where settings come from: properties first, then the environment. */
  private record Settings(Properties properties, Map<String, String> environment) {
    <T> T get(String name, T otherwise, Function<String, T> parse) {
      String property = "gemmflow." + name;
      String variable = property.toUpperCase(Locale.ROOT).replace('.', '_');
      String value = properties.getProperty(property);
      String source = "-D" + property;
      if (value == null) {
        value = environment.get(variable);
        source = variable;
      }
      if (value == null) {
        return otherwise;
      }
      try {
        return parse.apply(value.strip());
      } catch (RuntimeException e) {
        throw new IllegalArgumentException("%s=%s: %s".formatted(source, value, e.getMessage()), e);
      }
    }
  }

  /** Reads "250ms", "30s" or "5m". */
  private static Duration parseDuration(String text) {
    if (text.endsWith("ms")) {
      return Duration.ofMillis(Long.parseLong(text.substring(0, text.length() - 2)));
    }
    long number = Long.parseLong(text.substring(0, Math.max(0, text.length() - 1)));
    if (text.endsWith("s")) {
      return Duration.ofSeconds(number);
    }
    if (text.endsWith("m")) {
      return Duration.ofMinutes(number);
    }
    throw new IllegalArgumentException("a time is written like 250ms, 30s or 5m");
  }

  /** Sets up a {@link Config}. */
  public static final class Builder {
    private Duration deadline;
    private Duration setupDeadline;
    private int threads;
    private Idle idle;
    private Tuning tuning;
    private String engineName;
    private String kernelName;
    private @Nullable Kernel kernel;
    private Path windowDirectory;

    private Builder(Settings settings) {
      deadline = settings.get("deadline", Duration.ofSeconds(30), Config::parseDuration);
      setupDeadline = settings.get("setup.deadline", Duration.ofMinutes(5), Config::parseDuration);
      threads = settings.get("threads", 1, Integer::valueOf);
      idle = settings.get("idle", Idle.BALANCED, s -> Idle.valueOf(s.toUpperCase(Locale.ROOT)));
      tuning =
          new Tuning(
              settings.get("schedule", Tuning.DEFAULT.schedule(), Schedule::named),
              settings.get("chunk.rows", Chunking.BY_RULE, s -> new Chunking(Long.parseLong(s))),
              settings.get("inflight", Tuning.DEFAULT.inFlight(), Integer::valueOf));
      engineName = settings.get("engine", "", Function.identity());
      kernelName = settings.get("kernel", "", Function.identity());
      windowDirectory = settings.get("window.directory", Window.DEFAULT_DIRECTORY, Path::of);
    }

    /** See {@link Config#deadline}. */
    public Builder deadline(Duration value) {
      deadline = value;
      return this;
    }

    /** See {@link Config#setupDeadline}. */
    public Builder setupDeadline(Duration value) {
      setupDeadline = value;
      return this;
    }

    /** See {@link Config#threads}. */
    public Builder threads(int value) {
      threads = value;
      return this;
    }

    /** See {@link Config#tuning}. */
    public Builder tuning(Tuning value) {
      tuning = value;
      return this;
    }

    /** The kernel to use, whatever its name; null for the one that is chosen by name. */
    public Builder kernel(@Nullable Kernel value) {
      kernel = value;
      return this;
    }

    /** See {@link Config#windowDirectory}. */
    public Builder windowDirectory(Path value) {
      windowDirectory = value;
      return this;
    }

    public Config build() {
      if (threads < 1) {
        throw new IllegalArgumentException(
            "at least 1 thread must multiply, not %d".formatted(threads));
      }
      if (!deadline.isPositive() || !setupDeadline.isPositive()) {
        throw new IllegalArgumentException(
            "deadlines must be positive, not %s and %s".formatted(deadline, setupDeadline));
      }
      return new Config(this);
    }
  }
}
