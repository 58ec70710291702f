// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve.http;

import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.models.checkpoint.Checkpoint;
import io.github.gemmflow.models.decoder.Decoder;
import io.github.gemmflow.models.decoder.Sequence;
import io.github.gemmflow.models.decoder.Weights;
import io.github.gemmflow.models.parallel.Shares;
import io.github.gemmflow.serve.TestModel;
import io.github.gemmflow.text.Tokenizer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many clients at once, on ranks that are processes. */
@Tag("full")
class ManyClientsTest {
  private static final int CLIENTS = 16;
  private static final int REQUESTS = 200;

  /** More tokens than a prompt and its answer have. */
  private static final int LONGEST = 128;

  private static final List<String> WORDS =
      List.of("Once", "upon", "a", "time", "Lily", "saw", "the", "big", "dog", "was", "happy");

  @TempDir private Path directory;
  private Path model = Path.of("");

  @BeforeEach
  void makeAModel() throws IOException {
    model = directory.resolve("stories");
    TestModel.write(model);
  }

  /** A request, and whether its client hangs up. */
  private record Question(String prompt, int tokens, boolean hangsUp) {
    String body(boolean isStream) {
      return "{\"prompt\": \"%s\", \"max_tokens\": %d, \"temperature\": 0, \"stream\": %s}"
          .formatted(prompt, tokens, isStream);
    }
  }

  private static List<Question> questions(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Question> all = new ArrayList<>();
    for (int i = 0; i < REQUESTS; i++) {
      List<String> words = new ArrayList<>();
      for (int left = 1 + random.nextInt(8); left > 0; left--) {
        words.add(WORDS.get(random.nextInt(WORDS.size())));
      }
      all.add(
          new Question(String.join(" ", words), 1 + random.nextInt(40), random.nextInt(10) == 0));
    }
    return all;
  }

  @Test
  void everyAnswerIsAsIfItWasAloneAndManyAreFasterThanOne() throws Exception {
    long seed = System.nanoTime();
    System.out.println("ManyClientsTest: seed " + seed);
    List<Question> questions = questions(seed);
    List<String> answers = new ArrayList<>();
    double together;
    double alone;
    try (ServerProcess server = ServerProcess.mpi("openmpi", 3, model)) {
      Client client = new Client(server.port());
      // Warm, and the figure of one request at a time.
      alone = perSecond(questions.subList(0, REQUESTS / 4), 1, client, new ArrayList<>());
      together = perSecond(questions, CLIENTS, client, answers);
      String metrics = client.get("/metrics").body();
      assertTrue(metrics.contains("gemmflow_jobs_waiting 0"), metrics);
    }
    System.out.printf(
        "ManyClientsTest: %.0f tokens/s for %d clients, %.0f for one at a time%n",
        together, CLIENTS, alone);
    assertAsAlone(questions, answers);
  }

  /** Asks; returns the tokens of each second. */
  private static double perSecond(
      List<Question> questions, int clients, Client client, List<String> answers) throws Exception {
    long start = System.nanoTime();
    try (ExecutorService threads = Executors.newFixedThreadPool(clients)) {
      List<Callable<String>> calls = new ArrayList<>();
      for (Question question : questions) {
        calls.add(
            () -> {
              if (question.hangsUp()) {
                client.hangUp(question.body(true), 4);
                return "";
              }
              return client.complete(question.body(false));
            });
      }
      for (Future<String> future : threads.invokeAll(calls)) {
        answers.add(future.get());
      }
    }
    int tokens =
        questions.stream().filter(question -> !question.hangsUp()).mapToInt(Question::tokens).sum();
    return tokens * 1e9 / (System.nanoTime() - start);
  }

  private void assertAsAlone(List<Question> questions, List<String> answers) throws IOException {
    try (Checkpoint checkpoint = Checkpoint.open(model);
        Tokenizer tokenizer = Tokenizer.of(model).orElseThrow()) {
      LocalWorld.of(1)
          .run(
              world -> {
                Weights weights = Weights.of(world, checkpoint, Shares.even(1), DType.F32);
                try (Decoder decoder =
                    new Decoder(world.group(), weights, world.config().tuning(), 1, LONGEST, 1)) {
                  for (int i = 0; i < questions.size(); i++) {
                    if (!questions.get(i).hangsUp()) {
                      assertAsAlone(
                          questions.get(i), answers.get(i), decoder, checkpoint, tokenizer);
                    }
                  }
                }
              });
    }
  }

  private static void assertAsAlone(
      Question question, String actual, Decoder decoder, Checkpoint model, Tokenizer tokenizer) {
    int[] prompt = tokenizer.encode(question.prompt());
    GreedyText.Model alone =
        answer -> {
          Sequence sequence = decoder.begin(prompt);
          answer.forEach(sequence::append);
          return decoder.run(List.of(sequence))[0];
        };
    try {
      new GreedyText(alone, tokenizer, question.tokens(), model.config().ends()).check(actual);
    } catch (AssertionError e) {
      throw new AssertionError(question.toString(), e);
    }
  }

  /** Waits for answers, however fast they come, until the server is gone. */
  private static String askAgainAndAgain(Client client, Question question) throws Exception {
    String answer = "";
    for (int i = 0; i < 1000; i++) {
      answer = client.complete(question.body(false));
    }
    return answer;
  }

  /** The process of one rank dies while clients wait. */
  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void whoWaitsForALostRankIsTold(String mpi) throws Exception {
    try (ServerProcess server = ServerProcess.mpi(mpi, 3, model);
        ExecutorService threads = Executors.newCachedThreadPool()) {
      Client client = new Client(server.port());
      Question endless = new Question("Once", 400, false);
      List<Future<String>> waiting = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        waiting.add(threads.submit(() -> askAgainAndAgain(client, endless)));
      }
      client.hangUp(endless.body(true), 10); // all are under way
      ProcessHandle lost =
          server
              .process()
              .descendants()
              .filter(child -> child.info().command().orElse("").endsWith("java"))
              .skip(2)
              .findFirst()
              .orElseThrow();
      long start = System.nanoTime();
      lost.destroyForcibly();
      for (Future<String> future : waiting) {
        assertThrows(ExecutionException.class, () -> future.get(30, TimeUnit.SECONDS));
      }
      double seconds = (System.nanoTime() - start) / 1e9;
      System.out.printf("ManyClientsTest: told after %.1f s%n", seconds);
      assertTrue(seconds < 5 + 2, seconds + " s");
      assertNotEquals(0, server.await(30));
    }
  }
}
