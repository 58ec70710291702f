// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.service;

import io.github.gemmflow.Group;
import io.github.gemmflow.examples.decoder.Decoder;
import io.github.gemmflow.examples.generate.Batch;
import io.github.gemmflow.examples.generate.Continuation;
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
  private final Batch batch;
  private final Map<Long, Continuation> going = new HashMap<>();

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
    this.batch = new Batch(decoder, maxRows);
  }

  /** Runs on rank 0 until the desk closes. Collective. */
  void lead(Desk desk) {
    News news;
    do {
      news = desk.next();
      group.broadcast(0, news.toBytes());
      long start = System.nanoTime();
      begin(news, desk);
      batch.pass();
      desk.passed(System.nanoTime() - start);
      going
          .entrySet()
          .removeIf(
              entry -> {
                boolean isFinished = entry.getValue().isFinished();
                if (isFinished) {
                  desk.finished(entry.getKey(), entry.getValue().isEnded());
                }
                return isFinished;
              });
    } while (!news.isEnd());
  }

  /** Runs on the other ranks, until rank 0 says that it is over. Collective. */
  void follow() {
    News news;
    do {
      news = News.of(group.broadcast(0, null));
      begin(news, null);
      batch.pass();
      going.values().removeIf(Continuation::isFinished);
    } while (!news.isEnd());
  }

  private void begin(News news, @Nullable Desk desk) {
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
}
