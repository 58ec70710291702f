// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.job;

import io.github.gemmflow.measure.Progress;
import java.io.Console;
import java.io.PrintWriter;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** Output of the command: how much of it there is, and where it goes. */
public final class CommandOutput {
  /** Set in ranks that this command started: {@code terminal} if somebody sees the progress. */
  static final String WATCHED = "gemmflow.command.watched";

  private static final String ERASE_LINE = "\r\u001b[K";

  @Option(
      names = {"-q", "--quiet"},
      scope = ScopeType.INHERIT,
      description = "errors only")
  private boolean quiet;

  @Option(
      names = {"-v", "--verbose"},
      scope = ScopeType.INHERIT,
      description = "more output: the kernel, engine and plan that were chosen, and why")
  private boolean verbose;

  @Option(names = "--stacktrace", scope = ScopeType.INHERIT, description = "stack traces of errors")
  private boolean stackTrace;

  private final AtomicBoolean failed = new AtomicBoolean();
  private boolean lineIsLive;
  private @Nullable CommandLine line;

  /** Begins to output for a command. */
  public void begin(CommandLine ofCommand) {
    line = ofCommand;
    Level warnings = quiet ? Level.SEVERE : Level.WARNING;
    Log.show(verbose ? Level.INFO : warnings, this::passOn);
  }

  private PrintWriter err() {
    return line().getErr();
  }

  private CommandLine line() {
    return Objects.requireNonNull(line, "a command begins before it prints");
  }

  public boolean isVerbose() {
    return verbose;
  }

  /** Whether this process was started by one that reads what it reports. */
  static boolean isWatched() {
    return System.getProperty(WATCHED) != null;
  }

  /**
   * Whether this process was told to end. What is thrown then follows from that, and whoever told
   * it needs no message about it.
   */
  static boolean isEnding() {
    Thread hook = new Thread(() -> {});
    try {
      Runtime.getRuntime().addShutdownHook(hook);
      Runtime.getRuntime().removeShutdownHook(hook);
      return false;
    } catch (IllegalStateException e) {
      // The first call says so as soon as the process ends, before any hook knows of it.
      return true;
    }
  }

  /** What the ranks that this process starts are to be told about it. */
  String watching() {
    return isTerminal() && !quiet ? "terminal" : "silent";
  }

  @SuppressWarnings("SystemConsoleNull") // Java 25 returns null where nobody sits at a terminal
  private static boolean isTerminal() {
    Console console = System.console();
    return console != null && console.isTerminal();
  }

  /** Says what came of a command, unless it is to be quiet. */
  public void say(String text) {
    clear();
    if (!quiet) {
      line().getOut().print(text);
      line().getOut().flush();
    }
  }

  /** Where to say how far something is. */
  public Progress progress() {
    if ("terminal".equals(System.getProperty(WATCHED))) {
      return new LiveLine(text -> err().println(RankReport.ofProgress(text)), System::nanoTime);
    }
    return isTerminal() && !quiet && !isWatched()
        ? new LiveLine(this::show, System::nanoTime)
        : Progress.NONE;
  }

  /** Shows a line that the next one replaces. */
  synchronized void show(String text) {
    lineIsLive = true;
    err().print(ERASE_LINE + text);
    err().flush();
  }

  private synchronized void clear() {
    if (lineIsLive) {
      err().print(ERASE_LINE);
      err().flush();
      lineIsLive = false;
    }
  }

  /** Passes on what a process said that this one started. */
  void passOn(String text) {
    if (verbose || !failed.get()) {
      clear();
      err().println(text);
    }
  }

  /** Tells what ended the command, once; whatever else is told afterwards follows from it. */
  public int fail(Throwable thrown) {
    if (stackTrace && !failed.get() && !isEnding()) {
      thrown.printStackTrace(err());
    }
    return fail(Failure.of(thrown));
  }

  /**
   * The same on a rank of a job. What all ranks found together one of them tells, and what only
   * follows from another rank's failure nobody does, unless who started them picks from all that.
   */
  void failOnRank(int rank, Throwable thrown, boolean together) {
    boolean silent = together ? rank != 0 : !Failure.of(thrown).primary();
    if (silent && !isWatched() && !verbose) {
      failed.set(true);
    } else {
      fail(thrown);
    }
  }

  int fail(Failure failure) {
    if (!isEnding() && failed.compareAndSet(false, true)) {
      clear();
      if (isWatched()) {
        err().println(RankReport.of(failure));
      } else {
        String text = (verbose ? failure : failure.shortened()).message();
        err().println(line().getColorScheme().errorText("gemmflow: " + text));
      }
      err().flush();
    }
    return failure.number();
  }
}
