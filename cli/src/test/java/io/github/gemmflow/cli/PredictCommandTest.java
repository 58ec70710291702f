// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.cli.job.ExitCode;
import io.github.gemmflow.kit.Pauses;
import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.CostText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Forecasts, and the costs that they are made of. */
@ExtendWith(Pauses.class)
class PredictCommandTest {
  private static final String MODEL =
      """
      {"num_hidden_layers": 2, "hidden_size": 512, "intermediate_size": 1024,
       "num_attention_heads": 8, "vocab_size": 1000}
      """;

  @TempDir Path directory;

  private static String good(String... words) {
    Ran ran = Ran.here(words);
    assertEquals(ExitCode.GOOD.number(), ran.exitCode(), ran::err);
    return ran.out();
  }

  private static void assertRefused(String message, String... words) {
    Ran ran = Ran.here(words);
    assertEquals(ExitCode.INPUT.number(), ran.exitCode(), ran::err);
    assertTrue(ran.err().contains(message), ran::err);
  }

  private static void assertHas(String part, String text) {
    assertTrue(text.contains(part), () -> "'%s' is not in:%n%s".formatted(part, text));
  }

  /** 512 rows of 16 KiB: half of them come into each of two hosts. */
  @Test
  void aLayer() {
    String text = good("predict", "-n", "1,2,4", "--gm", "512", "--dtype", "F32");
    assertHas("costs: assumed, not measured: gemmflow calibrate measures this machine", text);
    assertHas("     2      2", text);
    assertHas("       4 MiB", text);
    assertHas("rows that travel as I8", text);
  }

  /** A slower link makes more hosts a bad idea, and the verdict says so. */
  @Test
  void whetherItHelpsDependsOnTheLink() {
    String[] words = {"predict", "-n", "1,2", "--gm", "512", "--dtype", "F32", "--rate", ""};
    words[8] = "10gbit";
    assertHas("2 ranks take", good(words));
    words[8] = "10mbit";
    assertHas("more than 1 are not worth it", good(words));
  }

  @Test
  void aModel() throws IOException {
    Path config = Files.writeString(directory.resolve("config.json"), MODEL);
    Path page = directory.resolve("forecast.html");
    String text =
        good("predict", "--model", config.toString(), "--dtype", "F32", "-o", page.toString());
    assertHas("prefill of 512 tokens: ", text);
    assertHas("decode of 1 sequence: ", text);
    assertHas("\"prefill of 512 tokens\"", Files.readString(page));
  }

  @Test
  void aSimulatedStepIsATraceLikeAnyOther() {
    Path trace = directory.resolve("trace.json");
    good("predict", "-n", "2", "--gm", "256", "--dtype", "F32", "--trace", trace.toString());
    String text = good("report", "--text", "--trace", trace.toString());
    assertHas("arrivals during work", text);
    assertEquals(3, text.lines().count(), text);
  }

  @Test
  void whatCannotBeAskedIsSaid() throws IOException {
    Path config = Files.writeString(directory.resolve("config.json"), "{\"hidden_size\": 4}");
    assertRefused("has no num_attention_heads", "predict", "--model", config.toString());
    Path empty = Files.writeString(directory.resolve("empty.json"), "");
    assertRefused("it is empty", "predict", "--model", empty.toString());
    Path costs = Files.writeString(directory.resolve("costs.txt"), "step.ns = 1\n");
    assertRefused(
        "txt is not a costs file: 'origin' is missing", "predict", "--costs", costs.toString());
    String binary = Files.write(directory.resolve("x.bin"), new byte[] {(byte) 0xff}).toString();
    assertRefused("x.bin is not text in UTF-8: write it", "predict", "--costs", binary);
    assertRefused("x.bin is not text in UTF-8: give the", "predict", "--model", binary);
    assertRefused("use gather", "predict", "--operation", "all-gather");
    assertRefused("give numbers of 1 or more", "predict", "-n", "0");
    assertRefused("remove --model", "predict", "--model", model(), "--trace", "x.json");
  }

  private String model() throws IOException {
    return Files.writeString(directory.resolve("model.json"), MODEL).toString();
  }

  /** In less than a minute, on ranks that are threads on two hosts with a link of 1 Gbit/s. */
  @Tag("soak")
  @Test
  void costsAreMeasured() throws IOException {
    Path costs = directory.resolve("costs.txt");
    long begin = Pauses.clock();
    good(
        "calibrate",
        "--engine",
        "local",
        "-n",
        "2",
        "--hosts",
        "2",
        "--rate",
        "200mbit",
        "--latency",
        "100us",
        "--dtypes",
        "F32",
        "-o",
        costs.toString());
    double seconds = (Pauses.clock() - begin) / 1e9;
    assertTrue(seconds < 60, () -> seconds + " s");
    CostModel measured = CostText.read(Files.readString(costs));
    double rate = measured.link().bitsPerSecond();
    assertTrue(rate > 0.14e9 && rate < 0.24e9, () -> rate + " bit/s");
    long elements = measured.kernel("F32").sizes().getLast();
    assertTrue(elements * Float.BYTES >= 128 << 20, () -> elements + " elements fit a cache");
    assertHas("costs: measured", good("predict", "--costs", costs.toString(), "--dtype", "F32"));
  }
}
