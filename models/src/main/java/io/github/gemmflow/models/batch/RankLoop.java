// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.batch;

import io.github.gemmflow.Group;
import io.github.gemmflow.models.decoder.Decoder;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Loop that every rank runs to continue texts as they come: hear what is new, run a pass, and
 * again. Rank 0 broadcasts what is new, and gives tokens to those who wait. All ranks have the same
 * tasks in the same order and choose the same tokens, so that nothing else is sent.
 */
public final class RankLoop {
  private final Group group;
  private final List<Integer> ends;
  private final Decoder decoder;
  private final int maxRows;

  /**
   * A loop.
   *
   * @param ends tokens that end a text
   * @param maxRows the most rows of a pass
   */
  public RankLoop(Group group, Decoder decoder, List<Integer> ends, int maxRows) {
    this.group = group;
    this.decoder = decoder;
    this.ends = ends;
    this.maxRows = maxRows;
  }

  /**
   * The number of tokens that every rank has memory for, with {@link Decoder#MORE_TOKENS} more for
   * each text. Collective.
   *
   * @param bytes of memory that this rank has for them
   */
  public long room(long bytes) {
    byte[] mine = ByteBuffer.allocate(Long.BYTES).putLong(decoder.tokensIn(bytes)).array();
    return Arrays.stream(group.allGather(mine))
        .mapToLong(its -> ByteBuffer.wrap(its).getLong())
        .min()
        .orElseThrow();
  }

  /** Runs on rank 0 until the work ends. Collective. */
  public void lead(Scheduler scheduler) {
    Work work = new Work();
    for (News news = scheduler.next(); tell(news); news = scheduler.next()) {
      long start = System.nanoTime();
      work.begin(news, scheduler);
      work.pass(scheduler);
      scheduler.passed(System.nanoTime() - start);
    }
  }

  /** Tells the others what is new; returns whether it goes on. */
  private boolean tell(News news) {
    group.broadcast(0, news.toBytes());
    return !news.isEnd();
  }

  /** Runs on the other ranks, until rank 0 says that it is over. Collective. */
  public void follow() {
    Work work = new Work();
    for (News news = hear(); !news.isEnd(); news = hear()) {
      work.begin(news, null);
      work.pass(null);
    }
  }

  private News hear() {
    return News.of(group.broadcast(0, null));
  }

  /** Texts that grow. After a failure nobody knows them any more, and their memory is free. */
  private final class Work {
    private final Batch batch = new Batch(decoder, maxRows);
    private final Map<Long, Continuation> running = new HashMap<>();

    void begin(News news, @Nullable Scheduler scheduler) {
      for (Task task : news.added()) {
        IntConsumer listener =
            scheduler == null ? token -> {} : token -> scheduler.heard(task.id(), token);
        Continuation continuation =
            new Continuation(
                decoder.begin(task.tokens()), task.sampler(), task.maxTokens(), ends, listener);
        running.put(task.id(), continuation);
        batch.add(continuation);
      }
      for (long id : news.cancelled()) {
        Continuation continuation = running.get(id);
        if (continuation != null) {
          continuation.cancel();
        }
      }
    }

    void pass(@Nullable Scheduler scheduler) {
      batch.pass();
      running
          .entrySet()
          .removeIf(
              entry -> {
                boolean isFinished = entry.getValue().isFinished();
                if (isFinished && scheduler != null) {
                  scheduler.finished(entry.getKey(), entry.getValue().isEnded());
                }
                return isFinished;
              });
    }
  }
}
