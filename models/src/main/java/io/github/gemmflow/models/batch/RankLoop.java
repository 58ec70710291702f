// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.service;

import io.github.gemmflow.Group;
import io.github.gemmflow.models.batch.Batch;
import io.github.gemmflow.models.batch.Continuation;
import io.github.gemmflow.models.decoder.Decoder;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Loop that every rank of a server runs: hear what is new, run a pass, and again. Rank 0 says what
 * is new; tokens come out of it alone. All ranks have the same tasks in the same order, and choose
 * the same tokens, so that nothing else has to be told.
 */
final class RankLoop {
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
  RankLoop(Group group, Decoder decoder, List<Integer> ends, int maxRows) {
    this.group = group;
    this.decoder = decoder;
    this.ends = ends;
    this.maxRows = maxRows;
  }

  /**
   * How many tokens of texts every rank can keep, {@link Decoder#MORE_TOKENS} more for each text.
   * Collective.
   *
   * @param bytes of memory that this rank has for them
   */
  long room(long bytes) {
    byte[] mine = ByteBuffer.allocate(Long.BYTES).putLong(decoder.tokensIn(bytes)).array();
    return Arrays.stream(group.allGather(mine))
        .mapToLong(its -> ByteBuffer.wrap(its).getLong())
        .min()
        .orElseThrow();
  }

  /** Runs on rank 0 until the desk ends. Collective. */
  void lead(Desk desk) {
    Work work = new Work();
    for (News news = desk.next(); tell(news); news = desk.next()) {
      long start = System.nanoTime();
      work.begin(news, desk);
      work.pass(desk);
      desk.passed(System.nanoTime() - start);
    }
  }

  /** Tells the others what is new; returns whether it goes on. */
  private boolean tell(News news) {
    group.broadcast(0, news.toBytes());
    return !news.isEnd();
  }

  /** Runs on the other ranks, until rank 0 says that it is over. Collective. */
  void follow() {
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
    private final Map<Long, Continuation> going = new HashMap<>();

    void begin(News news, @Nullable Desk desk) {
      for (Task task : news.added()) {
        IntConsumer listener = desk == null ? token -> {} : token -> desk.heard(task.id(), token);
        Continuation continuation =
            new Continuation(
                decoder.begin(task.tokens()), task.sampler(), task.maxTokens(), ends, listener);
        going.put(task.id(), continuation);
        batch.add(continuation);
      }
      for (long id : news.cancelled()) {
        Continuation continuation = going.get(id);
        if (continuation != null) {
          continuation.cancel();
        }
      }
    }

    void pass(@Nullable Desk desk) {
      batch.pass();
      going
          .entrySet()
          .removeIf(
              entry -> {
                boolean isFinished = entry.getValue().isFinished();
                if (isFinished && desk != null) {
                  desk.finished(entry.getKey(), entry.getValue().isEnded());
                }
                return isFinished;
              });
    }
  }
}
