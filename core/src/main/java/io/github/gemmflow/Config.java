// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.setup.Membership;
import io.github.gemmflow.setup.Settings;
import io.github.gemmflow.tuning.Idle;
import io.github.gemmflow.tuning.Overlap;
import io.github.gemmflow.tuning.Pin;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.SumPath;
import io.github.gemmflow.tuning.Tuning;
import io.github.gemmflow.window.Window;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of a world. Immutable. Values that the program sets here win; then come system
 * properties, then environment variables, which launchers forward, then defaults.
 *
 * <table>
 * <caption>Settings</caption>
 * <tr><th>property<th>variable<th>default
 * <tr><td>gemmflow.deadline<td>GEMMFLOW_DEADLINE<td>30s
 * <tr><td>gemmflow.setup.deadline<td>GEMMFLOW_SETUP_DEADLINE<td>5m
 * <tr><td>gemmflow.product.deadline<td>GEMMFLOW_PRODUCT_DEADLINE<td>10 deadlines
 * <tr><td>gemmflow.threads<td>GEMMFLOW_THREADS<td>1
 * <tr><td>gemmflow.pin<td>GEMMFLOW_PIN<td>none (or cores)
 * <tr><td>gemmflow.idle<td>GEMMFLOW_IDLE<td>balanced (or spin, sleep)
 * <tr><td>gemmflow.schedule<td>GEMMFLOW_SCHEDULE<td>automatic (or mesh, ring, two-way-ring)
 * <tr><td>gemmflow.storage<td>GEMMFLOW_STORAGE<td>automatic (or gathered, streamed)
 * <tr><td>gemmflow.overlap<td>GEMMFLOW_OVERLAP<td>automatic (or pipelined, sequential)
 * <tr><td>gemmflow.sums<td>GEMMFLOW_SUMS<td>automatic (or direct, staged)
 * <tr><td>gemmflow.chunk.rows<td>GEMMFLOW_CHUNK_ROWS<td>0: by bytes
 * <tr><td>gemmflow.chunk.bytes<td>GEMMFLOW_CHUNK_BYTES<td>0: automatic
 * <tr><td>gemmflow.slots<td>GEMMFLOW_SLOTS<td>2
 * <tr><td>gemmflow.inflight<td>GEMMFLOW_INFLIGHT<td>0: automatic
 * <tr><td>gemmflow.costs<td>GEMMFLOW_COSTS<td>assumed, links measured (or a file that gemmflow calibrate wrote)
 * <tr><td>gemmflow.engine<td>GEMMFLOW_ENGINE<td>the best that can be had
 * <tr><td>gemmflow.kernel<td>GEMMFLOW_KERNEL<td>the best that can be had
 * <tr><td>gemmflow.window.directory<td>GEMMFLOW_WINDOW_DIRECTORY<td>/dev/shm
 * </table>
 */
public final class Config {
  /** Ten of them still fit into a long of nanoseconds. */
  private static final Duration LONGEST_DEADLINE = Duration.ofDays(3650);

  private static final int PRODUCT_DEADLINES = 10;

  private final Duration deadline;
  private final Duration setupDeadline;
  private final Duration productDeadline;
  private final int threads;
  private final @Nullable Executor executor;
  private final Pin pin;
  private final Idle idle;
  private final Tuning tuning;
  private final String engineName;
  private final String kernelName;
  private final @Nullable Kernel kernel;
  private final Path windowDirectory;
  private final @Nullable Path costs;

  private Config(Builder b) {
    this.deadline = b.deadline;
    this.setupDeadline = b.setupDeadline;
    this.productDeadline =
        b.productDeadline == null ? b.deadline.multipliedBy(PRODUCT_DEADLINES) : b.productDeadline;
    this.threads = b.threads;
    this.executor = b.executor;
    this.pin = b.pin;
    this.idle = b.idle;
    this.tuning = b.tuning;
    this.engineName = b.engineName;
    this.kernelName = b.kernelName;
    this.kernel = b.kernel;
    this.windowDirectory = b.windowDirectory;
    this.costs = b.costs;
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

  /**
   * How long a rank that is inside one product, and gives no other sign of life, counts as working
   * for the ranks of its host; ten times the {@link #deadline}, unless set. Ranks of other hosts
   * see nothing of it: there the deadline must be longer than any product.
   */
  public Duration productDeadline() {
    return productDeadline;
  }

  /** How long a rank waits for the others in a collective call outside steps. */
  public Duration setupDeadline() {
    return setupDeadline;
  }

  /** Threads that multiply in each rank, with the caller's. */
  public int threads() {
    return threads;
  }

  /** Where the other threads that multiply come from; null for threads of our own. */
  @Nullable Executor executor() {
    return executor;
  }

  /** Whether threads of each rank stay on cores of their own; the same on all ranks. */
  public Pin pin() {
    return pin;
  }

  /** What waiting threads do. */
  public Idle idle() {
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

  /**
   * The file of the costs by which the rules choose, which {@code gemmflow calibrate} writes; null
   * for those of the {@link #tuning}. Rank 0 reads it, and all ranks use what it says.
   */
  public @Nullable Path costs() {
    return costs;
  }

  /** What a rank joins a job with. */
  Membership.Terms terms() {
    return new Membership.Terms(
        Version.TEXT, setupDeadline, windowDirectory, threads, pin, idle, costs);
  }

  /** Sets up a {@link Config}. */
  public static final class Builder {
    private Duration deadline;
    private Duration setupDeadline;
    private @Nullable Duration productDeadline;
    private int threads;
    private @Nullable Executor executor;
    private Pin pin;
    private Idle idle;
    private Tuning tuning;
    private String engineName;
    private String kernelName;
    private @Nullable Kernel kernel;
    private Path windowDirectory;
    private @Nullable Path costs;

    private Builder(Settings settings) {
      deadline = settings.get("deadline", Duration.ofSeconds(30), Settings::parseDuration);
      setupDeadline =
          settings.get("setup.deadline", Duration.ofMinutes(5), Settings::parseDuration);
      productDeadline = settings.find("product.deadline", Settings::parseDuration);
      threads = settings.get("threads", 1, Settings::parseInt);
      pin = settings.get("pin", Pin.NONE, Settings.oneOf(Pin.values()));
      idle = settings.get("idle", Idle.BALANCED, Settings.oneOf(Idle.values()));
      long chunkRows = settings.get("chunk.rows", 0, Settings::parseInt);
      long chunkBytes = settings.get("chunk.bytes", 0, Settings::parseInt);
      tuning =
          Tuning.DEFAULT
              .withSchedule(settings.find("schedule", Schedule::named))
              .withStorage(settings.find("storage", Settings.oneOf(Storage.values())))
              .withOverlap(settings.find("overlap", Settings.oneOf(Overlap.values())))
              .withChunkBytes(chunkBytes)
              .withChunkRows(chunkRows)
              .withSlots(settings.get("slots", Tuning.DEFAULT.slots(), Settings::parseInt))
              .withInFlight(settings.get("inflight", Tuning.DEFAULT.inFlight(), Settings::parseInt))
              .withSums(settings.find("sums", Settings.oneOf(SumPath.values())));
      engineName = settings.get("engine", "", Function.identity());
      kernelName = settings.get("kernel", "", Function.identity());
      windowDirectory = settings.get("window.directory", Window.DEFAULT_DIRECTORY, Path::of);
      costs = settings.find("costs", Path::of);
    }

    /** See {@link Config#deadline}. */
    public Builder deadline(Duration value) {
      deadline = value;
      return this;
    }

    /** See {@link Config#productDeadline}; null for ten deadlines. */
    public Builder productDeadline(@Nullable Duration value) {
      productDeadline = value;
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

    /**
     * Where the threads that multiply beside the caller's come from; null, unless set, for threads
     * of each workspace's own. A step does not wait for a thread that has not come, but all that
     * came work until its end.
     */
    public Builder executor(@Nullable Executor value) {
      executor = value;
      return this;
    }

    /** See {@link Config#pin}. */
    public Builder pin(Pin value) {
      pin = value;
      return this;
    }

    /** See {@link Config#idle}. */
    public Builder idle(Idle value) {
      idle = value;
      return this;
    }

    /** See {@link Config#engineName}. */
    public Builder engineName(String value) {
      engineName = value;
      return this;
    }

    /** See {@link Config#kernelName}. */
    public Builder kernelName(String value) {
      kernelName = value;
      return this;
    }

    /** The tuning so far: the settings of this process, unless another was set. */
    public Tuning tuning() {
      return tuning;
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

    /** See {@link Config#costs}. */
    public Builder costs(@Nullable Path value) {
      costs = value;
      return this;
    }

    public Config build() {
      if (threads < 1) {
        throw new IllegalArgumentException(
            "the number of threads must be at least 1, not %d".formatted(threads));
      }
      checkDeadline("deadline", deadline);
      checkDeadline("set-up deadline", setupDeadline);
      if (productDeadline != null) {
        checkDeadline("product deadline", productDeadline);
      }
      return new Config(this);
    }

    private static void checkDeadline(String name, Duration value) {
      if (!value.isPositive() || value.compareTo(LONGEST_DEADLINE) > 0) {
        throw new IllegalArgumentException(
            "the %s must be positive and at most %d days, not %s"
                .formatted(name, LONGEST_DEADLINE.toDays(), value));
      }
    }
  }
}
