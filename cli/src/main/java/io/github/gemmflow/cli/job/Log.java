// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.job;

import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Handler that shows what the library logs, one line each. */
final class Log extends Handler {
  /** Kept here, because loggers that nobody keeps forget their settings. */
  private static final Logger LOGGER = Logger.getLogger("io.github.gemmflow");

  static final String PREFIX = "gemmflow: ";

  private final SimpleFormatter texts = new SimpleFormatter();
  private final Consumer<String> lines;

  private Log(Consumer<String> lines) {
    this.lines = lines;
  }

  /**
   * Shows it from now on.
   *
   * @param least what is less important is left out
   * @param lines takes a line
   */
  static void show(Level least, Consumer<String> lines) {
    LOGGER.setUseParentHandlers(false);
    LOGGER.setLevel(least);
    for (Handler old : LOGGER.getHandlers()) {
      LOGGER.removeHandler(old);
    }
    LOGGER.addHandler(new Log(lines));
  }

  @Override
  public void publish(LogRecord entry) {
    lines.accept(PREFIX + texts.formatMessage(entry));
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
