// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.report;

import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Bounded wait for what a browser does. */
final class Deadline {
  private Deadline() {}

  static <T> T await(CompletableFuture<T> future, Duration patience, String otherwise)
      throws IOException {
    try {
      return future.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new IOException("%s within %d s".formatted(otherwise, patience.toSeconds()), e);
    } catch (ExecutionException e) {
      Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
      throw new IOException("%s: %s".formatted(otherwise, cause.getMessage()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(otherwise + ": interrupted", e);
    }
  }
}
