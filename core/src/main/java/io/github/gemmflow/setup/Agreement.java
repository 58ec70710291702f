// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.setup;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.failure.BrokenException;
import io.github.gemmflow.failure.DeadlineException;
import io.github.gemmflow.failure.DisagreementException;
import io.github.gemmflow.pipeline.comm.CommThread;
import io.github.gemmflow.pipeline.comm.Durations;
import io.github.gemmflow.pipeline.comm.Futures;
import io.github.gemmflow.pipeline.step.Breakable;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Agreement of the ranks of a channel: all of them go on, with the same intentions, or none does.
 * Every method is collective.
 */
public final class Agreement {
  /** The first byte of a message: whether its rank can go on. */
  private static final byte GOES_ON = 0;

  private static final byte CANNOT_GO_ON = 1;
  private static final byte[] FAILED = {0};
  private static final String FAILURE_MARK = "!";

  private final CommThread thread;
  private final Channel channel;
  private final @Nullable Breakable ranks;
  private final Duration deadline;
  private final AtomicInteger waiting = new AtomicInteger();

  /**
   * For a channel.
   *
   * @param ranks those that are given up if not all come; null as long as they are not known
   */
  public Agreement(
      CommThread thread, Channel channel, @Nullable Breakable ranks, Duration deadline) {
    this.thread = thread;
    this.channel = channel;
    this.ranks = ranks;
    this.deadline = deadline;
  }

  /**
   * Exchanges bytes.
   *
   * @param call what this rank is doing, for messages; it must be the same on all ranks
   * @return what every rank brought, in rank order
   * @throws DisagreementException on all ranks, if they are not doing the same
   */
  public byte[][] exchange(String call, byte[] mine) {
    return exchange(call, mine, deadline);
  }

  /** Like {@link #exchange(String, byte[])}, with a deadline of its own. */
  public byte[][] exchange(String call, byte[] mine, Duration patience) {
    return split(
        call, await(start(call, GOES_ON, mine), patience, () -> describeLate(call, patience)));
  }

  private String describeLate(String call, Duration patience) {
    return "rank %d waited %s in %s; at least one of %d ranks did not call it. If it is only slow, raise gemmflow.setup.deadline"
        .formatted(channel.rank(), Durations.describe(patience), call, channel.size());
  }

  /** Like {@link #exchange}, but waits for as long as it takes, as long as no rank is gone. */
  public byte[][] exchangePatiently(String call, byte[] mine) {
    return split(call, await(start(call, GOES_ON, mine), Futures.FOREVER, () -> ""));
  }

  /**
   * Takes part in an exchange that this rank cannot go on with, so that nobody waits for it. Waits
   * for the others until the deadline.
   *
   * @return an exception for this rank; the others throw a {@link DisagreementException}
   */
  public IllegalArgumentException refuse(String call, String reason) {
    return refuse(call, reason, deadline);
  }

  /** Like {@link #refuse}, for an exchange that the others make with {@link #exchangePatiently}. */
  public IllegalArgumentException refusePatiently(String call, String reason) {
    return refuse(call, reason, Futures.FOREVER);
  }

  private IllegalArgumentException refuse(String call, String reason, Duration patience) {
    IllegalArgumentException own = new IllegalArgumentException(reason);
    try {
      await(
          start(call, CANNOT_GO_ON, reason.getBytes(UTF_8)),
          patience,
          () -> describeLate(call, patience));
    } catch (RuntimeException e) {
      // The others may be late, or they know already and have ended the job.
      own.addSuppressed(e);
    }
    return own;
  }

  /** Who gives up, or is interrupted, leaves an exchange half done: nobody may go on after it. */
  private byte[][] await(
      CompletableFuture<byte[][]> exchanged, Duration patience, Supplier<String> late) {
    waiting.incrementAndGet();
    try {
      return Futures.join(exchanged, patience, this::look, late);
    } catch (DeadlineException | BrokenException e) {
      if (ranks != null) {
        ranks.breakUp(String.valueOf(e.getMessage()));
      }
      throw e;
    } finally {
      waiting.decrementAndGet();
    }
  }

  /** Whether a thread of this process waits for the other ranks. */
  public boolean isAwaited() {
    return waiting.get() > 0;
  }

  private void look() {
    if (ranks != null) {
      ranks.look();
    }
  }

  private CompletableFuture<byte[][]> start(String call, byte mark, byte[] mine) {
    byte[] name = call.getBytes(UTF_8);
    byte[] message =
        ByteBuffer.allocate(Math.addExact(1 + Integer.BYTES + name.length, mine.length))
            .put(mark)
            .putInt(name.length)
            .put(name)
            .put(mine)
            .array();
    return thread.exchange(channel, ranks, c -> c.allGather(message));
  }

  private byte[][] split(String call, byte[][] messages) {
    byte[][] brought = new byte[messages.length][];
    for (int rank = 0; rank < messages.length; rank++) {
      ByteBuffer message = ByteBuffer.wrap(messages[rank]);
      byte mark = message.get();
      byte[] name = new byte[message.getInt()];
      message.get(name);
      String theirs = new String(name, UTF_8);
      if (!theirs.equals(call)) {
        throw new DisagreementException(
            "the ranks made different calls: rank %d is %s, rank %d is %s"
                .formatted(channel.rank(), call, rank, theirs));
      }
      brought[rank] = new byte[message.remaining()];
      message.get(brought[rank]);
      if (mark == CANNOT_GO_ON) {
        throw new DisagreementException(
            "%s: rank %d failed: %s".formatted(call, rank, new String(brought[rank], UTF_8)));
      }
    }
    return brought;
  }

  /**
   * Does something locally on every rank.
   *
   * @param call what it is, for messages
   * @param fields what all ranks must have the same values of, in the same order: that of {@link
   *     Map#of} differs from process to process
   * @param local what to do; a rank whose {@code local} throws makes all ranks throw, and what the
   *     others made is closed
   * @throws DisagreementException if a field differs or another rank failed; a rank that failed
   *     itself throws what its {@code local} threw
   */
  public <T> T reach(String call, Map<String, ?> fields, Supplier<T> local) {
    T result = null;
    Throwable failure = null;
    try {
      result = local.get();
    } catch (RuntimeException | Error e) {
      failure = e;
    }
    boolean agreed = false;
    try {
      agreed = vote(call, fields, failure);
    } catch (RuntimeException e) {
      // Others may have given up already; but a rank at fault knows better than anybody what is
      // wrong.
      throwOwn(failure, e);
      throw e;
    } finally {
      if (!agreed && result instanceof AutoCloseable resource) {
        close(resource);
      }
    }
    return Objects.requireNonNull(result);
  }

  /** Returns true if all ranks agree, and throws if they do not. */
  private boolean vote(String call, Map<String, ?> fields, @Nullable Throwable failure) {
    String text = failure == null ? describe(fields) : FAILURE_MARK + explain(failure);
    byte[][] votes = exchange(call, failure == null ? sha256(text) : FAILED);
    if (failure == null && Arrays.stream(votes).allMatch(v -> Arrays.equals(v, votes[0]))) {
      return true;
    }
    throw new DisagreementException(findReason(call, exchange(call, text.getBytes(UTF_8))));
  }

  private static void throwOwn(@Nullable Throwable failure, RuntimeException ofOthers) {
    if (failure != null && !(ofOthers instanceof DisagreementException)) {
      failure.addSuppressed(ofOthers);
    }
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    if (failure instanceof Error e) {
      throw e;
    }
  }

  private static void close(AutoCloseable resource) {
    try {
      resource.close();
    } catch (Exception e) {
      throw new IllegalStateException("cannot undo what the other ranks did not agree to", e);
    }
  }

  private static String explain(Throwable failure) {
    String message = failure.getMessage();
    return failure instanceof Error || message == null ? failure.toString() : message;
  }

  private static String describe(Map<String, ?> fields) {
    StringJoiner text = new StringJoiner("\n");
    fields.forEach((name, value) -> text.add(name + "=" + value));
    return text.toString();
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  private static String findReason(String call, byte[][] texts) {
    List<Map<String, String>> fieldsOf = new ArrayList<>();
    for (int rank = 0; rank < texts.length; rank++) {
      String text = new String(texts[rank], UTF_8);
      if (text.startsWith(FAILURE_MARK)) {
        return "%s: rank %d failed: %s".formatted(call, rank, text.substring(1));
      }
      Map<String, String> fields = new LinkedHashMap<>();
      for (String line : text.lines().toList()) {
        int equals = line.indexOf('=');
        fields.put(line.substring(0, equals), line.substring(equals + 1));
      }
      fieldsOf.add(fields);
    }
    Map<String, String> first = fieldsOf.get(0);
    for (Map.Entry<String, String> field : first.entrySet()) {
      for (int rank = 1; rank < texts.length; rank++) {
        String other = fieldsOf.get(rank).getOrDefault(field.getKey(), "nothing");
        if (!other.equals(field.getValue())) {
          return "%s: the ranks do not agree on %s: rank 0 has %s, rank %d has %s"
              .formatted(call, field.getKey(), field.getValue(), rank, other);
        }
      }
    }
    return call + ": the ranks do not agree";
  }
}
