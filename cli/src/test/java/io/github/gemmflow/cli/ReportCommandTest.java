// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.AllGather;
import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class ReportCommandTest {
  @TempDir private Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... words) {
    CommandLine line = Gemmflow.commandLine();
    line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return line.execute(words);
  }

  private String in(String name) {
    return directory.resolve(name).toString();
  }

  private void bench() {
    int exitCode =
        run(
            "bench",
            "--engine=local",
            "-n=2",
            "--gm=70",
            "--gk=96",
            "--gn=40",
            "--warmup=1",
            "--iterations=3",
            "--json=" + in("bench.json"),
            "--trace=" + in("trace.json"));
    assertEquals(0, exitCode, err::toString);
    // Such as a warning, which is given once: it is no business of these tests.
    err.getBuffer().setLength(0);
  }

  @Test
  void sharesOfATraceAsText() {
    bench();
    out.getBuffer().setLength(0);
    assertEquals(0, run("report", "--text", "--trace", in("trace.json")), err::toString);
    assertTrue(out.toString().contains("none from other hosts"), out::toString);
    assertEquals(3, out.toString().lines().count(), out::toString);
  }

  /** A flight recording of a program on two simulated hosts, with rows from one to the other. */
  @Test
  void sharesOfAFlightRecordingAsText() throws IOException {
    Path file = directory.resolve("program.jfr");
    try (Recording recording = new Recording()) {
      for (String event : List.of("Step", "Multiply", "Wait", "Arrival")) {
        recording.enable("io.github.gemmflow." + event);
      }
      recording.start();
      LocalWorld.onHosts(0, 1).run(ReportCommandTest::gather);
      recording.dump(file);
    }
    assertEquals(0, run("report", "--text", "--recording", file.toString()), err::toString);
    String[] lines = out.toString().split("\n", -1);
    assertTrue(lines[1].matches("0 +1 +\\d.* ms .* \\d+ of \\d+"), lines[1]);
    assertTrue(lines[2].startsWith("1 "), lines[2]);
  }

  private static void gather(World world) {
    try (Arena arena = Arena.ofShared();
        Workspace space = Workspace.on(world.group()).rows(64).columns(16).open();
        AllGather gather = AllGather.on(space).build()) {
      Matrix mine = Matrix.allocate(DType.F32, 32, 16, arena);
      gather.run(mine, Matrix.allocate(DType.F32, 64, 16, arena));
    }
  }

  @Test
  void textNeedsOneSource() throws IOException {
    assertEquals(2, run("report", "--text"), out::toString);
    assertTrue(err.toString().contains("either --trace FILE"), err::toString);
    Path empty = directory.resolve("empty.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      recording.dump(empty);
    }
    assertEquals(2, run("report", "--text", "--recording", empty.toString()), out::toString);
    assertTrue(err.toString().contains("docs/jfr.md"), err::toString);
    Path text = Files.writeString(directory.resolve("text.jfr"), "no recording");
    assertEquals(2, run("report", "--text", "--recording", text.toString()), out::toString);
    assertTrue(err.toString().contains("text.jfr"), err::toString);
    assertEquals(2, run("report", "--recording", empty.toString()), out::toString);
    assertTrue(err.toString().contains("requires --text"), err::toString);
  }

  @Tag("full")
  @Test
  void whatBenchWritesBecomesAPageAndAPicture() throws IOException {
    bench();
    String html = in("report.html");
    String png = in("report.png");
    assertEquals(
        0,
        run("report", in("bench.json"), "--trace", in("trace.json"), "-o", html, "--png", png),
        err::toString);
    String page = Files.readString(Path.of(html));
    for (String part :
        List.of("\"samplesMs\": [", "\"plan\": \"gather up to 70 rows", "multiply rows 0-")) {
      assertTrue(page.contains(part), part);
    }
    BufferedImage picture = ImageIO.read(Path.of(png).toFile());
    assertEquals(1280, picture.getWidth());
    assertTrue(picture.getHeight() > 500 && picture.getHeight() < 1500, picture::toString);
    assertEquals(0xffffffff, picture.getRGB(0, 0), "light");
  }

  @Test
  void oneOfTheTwoIsEnough() {
    bench();
    assertEquals(0, run("report", in("bench.json"), "-o", in("1.html")), err::toString);
    assertEquals(0, run("report", "--trace", in("trace.json"), "-o", in("2.html")), err::toString);
  }

  @Test
  void theWrongWayRound() {
    bench();
    assertEquals(2, run("report", in("trace.json"), "-o", in("1.html")));
    assertEquals(2, run("report", "--trace", in("bench.json"), "-o", in("1.html")));
    assertEquals(
        """
        gemmflow: %s is a trace: pass it with --trace; expected a file written by 'gemmflow bench --json FILE'
        gemmflow: %s has the figures of a benchmark: pass it without --trace; expected a file written by 'gemmflow bench --trace FILE'
        """
            .formatted(in("trace.json"), in("bench.json")),
        err.toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"views": {}}                     | has no views.gemm.medianMs
          []                                | is not an object with the figures of a benchmark
          {"views": 1} {}                   | has no views.gemm.medianMs
          {"views": {"gemm"                 | is not JSON from line 1 on: Unexpected end-of-input
          Speedup 2.0                       | is not JSON from line 1 on: Unrecognized token 'Speedup'
          ``                                | is not an object with the figures of a benchmark
          """)
  void badFigures(String text, String found) throws IOException {
    Files.writeString(Path.of(in("bench.json")), text);
    assertEquals(2, run("report", in("bench.json"), "-o", in("report.html")));
    assertRefused(
        "bench.json " + found, "; expected a file written by 'gemmflow bench --json FILE'");
  }

  /** Of what nests too deep the parser does not say where. */
  @Test
  void figuresThatNestTooDeep() throws IOException {
    String deep = "{\"a\": " + "[".repeat(2000) + "]".repeat(2000) + "}";
    Files.writeString(Path.of(in("bench.json")), deep);
    assertEquals(2, run("report", in("bench.json"), "-o", in("report.html")));
    assertRefused(
        "bench.json is not JSON", "; expected a file written by 'gemmflow bench --json FILE'");
  }

  /** What a chart cannot draw. */
  @ParameterizedTest
  @CsvSource({
    "\"ranks\": 2, \"ranks\": \"2\", has VALUE_STRING for ranks",
    "\"verified\": true, \"verified\": null, has VALUE_NULL for verified",
    "\"p10Ms\", \"p10\", has no views.gemm.p10Ms"
  })
  void damagedFigures(String original, String other, String found) throws IOException {
    bench();
    Path file = Path.of(in("bench.json"));
    Files.writeString(file, Files.readString(file).replace(original, other));
    assertEquals(2, run("report", in("bench.json"), "-o", in("report.html")));
    assertRefused(
        "bench.json " + found, "; expected a file written by 'gemmflow bench --json FILE'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"traceEvents": [{"ph": "X", "cat": "WORK", "name": "a", "pid": 0, "pid": "<b>", "tid": 1, "ts": 0, "dur": 1}]} | is not JSON from line 1 on: Duplicate Object property "pid"
          {"traceEvents": 1}                                               | has no list traceEvents
          {"traceEvents": []}                                              | is a trace without events
          {"traceEvents": [1]}                                             | in line 1 has an event that is not an object
          {"traceEvents": [{"ph": "X", "cat": "blink"}]}                   | in line 1 has an event of category blink
          {"traceEvents": [{"ph": "X", "cat": "WORK"}]}                    | in line 1 has an event without a name
          {"traceEvents": [{"ph": "X", "cat": "WORK", "name": "", "pid": 0.5}]} | in line 1 has an event whose pid is 0.5
          {"traceEvents": [{"ph": "X", "cat": "WORK", "name": "", "pid": 0, "tid": 0, "ts": -1, "dur": -1}]} | in line 1 has an event whose dur is -1.0
          {"traceEvents": [{"ph": "X", "cat": "WORK", "name": "", "pid": 0, "tid": 0, "ts": 1e999, "dur": 1}]} | in line 1 has an event whose ts is Infinity
          {"traceEvents": [                                                | is not JSON from line 1 on: Unexpected end-of-input
          {"traceEvents": [{"ph": "X", "cat": "WORK", "name": "", "pid": 0, "tid": 0, "ts": 0, "dur": 1}]} {} | in line 1 has content after its end
          """)
  void badTraces(String text, String found) throws IOException {
    Files.writeString(Path.of(in("trace.json")), text);
    assertEquals(2, run("report", "--trace", in("trace.json"), "-o", in("report.html")));
    assertRefused(
        "trace.json " + found, "; expected a file written by 'gemmflow bench --trace FILE'");
  }

  private void assertRefused(String found, String next) {
    String line = err.toString().strip();
    assertTrue(line.startsWith("gemmflow: " + in(found)), line);
    assertTrue(line.endsWith(next), line);
    assertTrue(Files.notExists(directory.resolve("report.html")));
  }

  @Test
  void nothingOrNoSuchFile() throws IOException {
    assertEquals(2, run("report", "-o", in("report.html")));
    assertTrue(err.toString().startsWith("gemmflow: nothing to report: give "), err::toString);
    assertEquals(2, run("report", in("none.json"), "-o", in("report.html")));
    assertTrue(
        err.toString().contains("no such file: " + in("none.json") + "; expected a file"),
        err::toString);
    Files.write(Path.of(in("bench.json")), new byte[] {(byte) 0xff});
    assertEquals(2, run("report", in("bench.json"), "-o", in("report.html")));
    assertTrue(err.toString().contains("bench.json is not text in UTF-8; "), err::toString);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          no-such-browser | the browser no-such-browser cannot be run: name another one with --browser
          true            | the browser true did not show %s: name another one with --browser
          false           | the browser false exited with code 1, and printed nothing
          """)
  void noBrowser(String browser, String message) {
    bench();
    String png = in("report.png");
    assertEquals(
        2, run("report", in("bench.json"), "-o", in("r.html"), "--png", png, "--browser", browser));
    String expected = message.formatted(in("r.html"));
    assertEquals("gemmflow: " + expected, err.toString().strip());
  }

  @Test
  void theHelpFits() {
    assertEquals(0, run("report", "--help"));
    assertTrue(out.toString().lines().allMatch(line -> line.length() <= 80), out::toString);
  }
}
